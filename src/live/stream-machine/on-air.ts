import { type Heartbeat, type HeartbeatAnswer, mergedSounds, soundsOf, type Started } from "../../../protocol/live.ts";
import type { Session } from "../sessions/session.ts";
import { kindsOfWarnings, warningsOf, withReported } from "../sessions/session-warnings.ts";
import type { Connection, StartedAnswer } from "../streams/stream-calls.ts";
import { currentSession, refusalOf } from "./sessions.ts";
import type { StreamComponents } from "./components.ts";
import { logWarning } from "../../platform/log.ts";

const COUNTS_AFTER_MS = 10_000;

/** The gateway reports the renditions of the broadcast. A recording begins with the first such report. */
export function startBroadcast(machine: StreamComponents, connection: Connection, facts: Started): StartedAnswer {
  const session = currentSession(machine, connection);
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

/** Renews the broadcast by a heartbeat of its gateway. @param heartbeat `silent`: the gateway is alive but gets no media from its broadcaster */
export function keepOnAir(
  machine: StreamComponents,
  connection: Connection,
  { segments, droppedRungs, speed, silent, hasDisconnected, warnings }: Heartbeat,
): Omit<HeartbeatAnswer, "token"> {
  const before = currentSession(machine, connection);
  if (before === null) return { continue: false, reason: refusalOf(machine, connection) };
  machine.hasDisconnected = hasDisconnected;
  const session = keepWarnings(machine, before, warnings);
  if (silent) return { continue: true, reason: null };
  machine.listen();
  const next = { ...session, segments: Math.max(session.segments, segments), droppedRungs: droppedRungs.toSorted() };
  if (next.droppedRungs.join() !== session.droppedRungs.join()) changeDroppedRungs(machine, next, speed);
  else if (next.segments !== session.segments) machine.documents.put("session", next);
  if (machine.state.status === "disconnected") reconnect(machine, next);
  if (machine.state.status === "preparing" && next.segments > 0) machine.move("ready", () => machine.saveSession(next));
  return { continue: true, reason: machine.gracefulStop.reason };
}

/**
 * A warning of a new kind is announced. Counts may rise every second: they are written with the row's next change, at the latest after
 * `COUNTS_AFTER_MS`.
 *
 * @returns the session with them
 */
function keepWarnings(machine: StreamComponents, session: Session, warnings: Heartbeat["warnings"]): Session {
  const next = { ...session, warnings: withReported(session.warnings, warnings) };
  const [shown, nextShown] = [warningsOf(session.warnings), warningsOf(next.warnings)];
  if (JSON.stringify(nextShown) === JSON.stringify(shown)) return session;
  const isAnnounced = kindsOfWarnings(nextShown) !== kindsOfWarnings(shown);
  if (isAnnounced)
    logWarning("live.warned", { streamId: machine.id, sessionId: session.id, codes: codesOf(nextShown) });
  machine.commit(() => {
    machine.documents.put("session", next);
    if (isAnnounced) machine.enqueueStatus(machine.state.status, { event: updated() });
    else if (!machine.timers.isScheduled("warnings"))
      machine.timers.schedule("warnings", machine.clock() + COUNTS_AFTER_MS);
  });
  return next;
}

const codesOf = (warnings: Heartbeat["warnings"]): string => [...new Set(warnings.map(({ code }) => code))].join();

const updated = () => ({ id: crypto.randomUUID(), type: "video.live_stream.updated" as const });

/** The encoder cannot keep up and has dropped rungs, or it encodes them all again. */
function changeDroppedRungs(machine: StreamComponents, session: Session, speed: number): void {
  const { id: sessionId, droppedRungs } = session;
  logWarning("live.rungs_dropped", { streamId: machine.id, sessionId, rungs: droppedRungs.join(), speed });
  machine.commit(() => {
    machine.documents.put("session", session);
    machine.enqueueStatus(machine.state.status, { event: updated(), droppedRungs });
  });
}

/** Resumes the session when only the connection between gateway and Worker was lost. The broadcaster is the same. */
function reconnect(machine: StreamComponents, session: Session): void {
  machine.timers.cancel("window");
  machine.move(session.segments > 0 ? "reconnect" : "connect", () =>
    machine.saveSession({ ...session, windowEndsAtMs: null }),
  );
}
