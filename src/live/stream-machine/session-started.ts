import { mergedSounds, soundsOf, type Started } from "../../../protocol/live.ts";
import type { Session } from "../sessions/session.ts";
import type { Connection, StartedAnswer } from "../streams/stream-calls.ts";
import { currentSession } from "./current-session.ts";
import type { StreamComponents } from "./components.ts";

/** The gateway reports the renditions of the broadcast. A recording begins with the first such report. */
export function onStarted(
  machine: StreamComponents,
  { sessionId, connection, ...facts }: Connection & Started,
): StartedAnswer {
  const session = currentSession(machine, { sessionId, connection });
  if (session === null) return { isOver: true };
  machine.listen();
  const sounds = mergedSounds(soundsOf(facts.renditions), session.sounds ?? []);
  const started = { ...session, facts, sounds };
  machine.commit(() => machine.saveSession(started));
  if (session.recording !== null && !session.isRecording) startRecording(machine, started);
  else machine.enqueueStatus(machine.state.status);
  return { isOver: false, settings: session.settings, maxDurationS: session.maxDurationS ?? 0 };
}

function startRecording(machine: StreamComponents, session: Session): void {
  const { id: mediaId, streamId, workspaceId, recording, settings } = session;
  if (recording === null) return;
  machine.move("record", () => {
    machine.saveSession({ ...session, isRecording: true });
    machine.enqueue("recording", {
      mediaId,
      playbackId: crypto.randomUUID(),
      eventId: crypto.randomUUID(),
      streamId,
      workspaceId,
      publicUrl: recording.publicUrl,
      maxResolution: settings.maxResolution,
      mediaPolicy: recording.policy,
      keySystems: recording.keySystems ?? null,
      atMs: machine.clock(),
    });
  });
}
