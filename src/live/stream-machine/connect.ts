import type { IngestProtocol, IngestSettings } from "../../../protocol/live.ts";
import { log } from "../../platform/log.ts";
import {
  decideConnect,
  hasGatewayRestarted,
  openSession,
  resumeSession,
  type Session,
  waitMs,
} from "../sessions/session.ts";
import { isOnAir } from "../streams/moves.ts";
import type { ConnectAnswer, ConnectOrder } from "../streams/stream-calls.ts";
import { disconnect } from "./disconnect.ts";
import { endBroadcast } from "./end-broadcast.ts";
import type { StreamComponents } from "./components.ts";

/** Accepts or refuses a broadcaster with a valid key. Resumes the session within its reconnect window; otherwise opens a new one. */
export function connect(machine: StreamComponents, order: ConnectOrder): ConnectAnswer {
  const { documents, session, state } = machine;
  const heardAtMs = canTakeOver(machine, order) ? 0 : machine.heardAtMs;
  const decision = decideConnect(state.status, session?.windowEndsAtMs ?? null, heardAtMs, machine.clock());
  if (decision !== "open" && decision !== "resume") return { accepted: false, reason: decision };
  documents.put("name", order.streamId);
  if (decision === "resume" && session !== null) return resume(machine, session, order);
  if (state.status === "disconnected") endBroadcast(machine, "windowOver", "window_over"); // its timer is late
  return open(machine, order);
}

/** Whether the broadcaster on air is gone, however recently it was heard. The owner's request to end its broadcast is carried out first. */
const canTakeOver = ({ session, hasDisconnected, gracefulStop }: StreamComponents, order: ConnectOrder): boolean =>
  hasGatewayRestarted(session, order) || (hasDisconnected && gracefulStop.reason === null);

function open(machine: StreamComponents, order: ConnectOrder): ConnectAnswer {
  const nowMs = machine.clock();
  const session = openSession(order, crypto.randomUUID(), nowMs);
  machine.move("prepare", () => machine.saveSession(session));
  machine.move("connect");
  announceProtocol(machine, session, []);
  if (order.maxDurationS > 0) machine.timers.schedule("maxDuration", nowMs + waitMs(machine.env, order.maxDurationS));
  return accept(machine, session, false);
}

function resume(machine: StreamComponents, before: Session, order: ConnectOrder): ConnectAnswer {
  if (isOnAir(machine.state.status)) disconnect(machine); // the broadcaster on air is silent and is replaced
  const session = resumeSession(before, order);
  machine.move(session.segments > 0 ? "reconnect" : "connect", () => machine.saveSession(session));
  announceProtocol(machine, session, before.protocols ?? [before.protocol]);
  machine.timers.cancel("window");
  return accept(machine, session, true);
}

const DETECTED = { srt: "video.live_stream.srt_detected", rtmps: "video.live_stream.rtmps_detected" } as const;

/** Announces SRT or RTMPS, once for each session. @param known protocols of its earlier connections */
function announceProtocol(machine: StreamComponents, { protocol }: Session, known: IngestProtocol[]): void {
  if ((protocol !== "srt" && protocol !== "rtmps") || known.includes(protocol)) return;
  const event = { id: crypto.randomUUID(), type: DETECTED[protocol] };
  machine.enqueueStatus(machine.state.status, { event });
}

function accept(machine: StreamComponents, session: Session, isResumed: boolean) {
  const { id: sessionId, connection, settings, sounds = [] } = session;
  machine.hasDisconnected = false;
  machine.listen();
  log("live.connected", { streamId: machine.id, sessionId, connection });
  const answered: IngestSettings = { ...settings, reconnect: isResumed, ...(sounds.length > 0 ? { sounds } : {}) };
  return { accepted: true as const, sessionId, connection, settings: answered, isResumed };
}
