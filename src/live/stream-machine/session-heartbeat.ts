import type { Heartbeat } from "../../../protocol/live.ts";
import { logWarning } from "../../platform/log.ts";
import type { Session } from "../sessions/session.ts";
import type { Connection, StreamCalls } from "../streams/stream-calls.ts";
import { currentSession, refusalOf } from "./current-session.ts";
import type { StreamComponents } from "./components.ts";

/** @param order `silent`: the gateway is alive but gets no media from its broadcaster */
export function onHeartbeat(machine: StreamComponents, order: Connection & Heartbeat): StreamCalls["heartbeat"]["answer"] {
  const { sessionId, connection, segments, droppedRungs, speed, silent, hasDisconnected } = order;
  const session = currentSession(machine, { sessionId, connection });
  if (session === null) return { continue: false, reason: refusalOf(machine, { sessionId, connection }) };
  machine.hasDisconnected = hasDisconnected;
  if (silent) return { continue: true, reason: null };
  machine.listen();
  const next = { ...session, segments: Math.max(session.segments, segments), droppedRungs: droppedRungs.toSorted() };
  if (next.droppedRungs.join() !== session.droppedRungs.join()) changeDroppedRungs(machine, next, speed);
  else if (next.segments !== session.segments) machine.documents.put("session", next);
  if (machine.state.status === "disconnected") reconnect(machine, next);
  if (machine.state.status === "preparing" && next.segments > 0) machine.move("ready", () => machine.saveSession(next));
  return { continue: true, reason: machine.gracefulStop.reason };
}

/** The encoder cannot keep up and has dropped rungs, or it encodes them all again. */
function changeDroppedRungs(machine: StreamComponents, session: Session, speed: number): void {
  const { id: sessionId, droppedRungs } = session;
  logWarning("live.rungs_dropped", { streamId: machine.id, sessionId, rungs: droppedRungs.join(), speed });
  machine.commit(() => {
    machine.documents.put("session", session);
    const event = { id: crypto.randomUUID(), type: "video.live_stream.updated" as const };
    machine.enqueueStatus(machine.state.status, { event, droppedRungs });
  });
}

/** Resumes the session when only the connection between gateway and Worker was lost. The broadcaster is the same. */
function reconnect(machine: StreamComponents, session: Session): void {
  machine.timers.cancel("window");
  machine.move(session.segments > 0 ? "reconnect" : "connect", () =>
    machine.saveSession({ ...session, windowEndsAtMs: null }),
  );
}
