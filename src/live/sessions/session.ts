import { type IngestProtocol, type IngestSettings, SILENT_AFTER_MS, type Started } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { isOnAir, type StreamStatus } from "../streams/moves.ts";
import type { ConnectOrder, RecordingOrder } from "../streams/stream-calls.ts";
import type { SessionFacts } from "./session-facts.ts";

/** A broadcast, from the connecting to its definite end. */
export interface Session {
  id: string;
  streamId: string;
  workspaceId: string;
  startedAtMs: number;
  gatewayId: string;
  /** By its own clock; another process of the same gateway has another one. */
  gatewayStartedAt: number;
  protocol: IngestProtocol;
  settings: Omit<IngestSettings, "reconnect">;
  reconnectWindowS: number;
  /** 0 = unbounded. Absent in sessions that were opened before it was kept. */
  maxDurationS?: number;
  /** Counts the broadcaster's connections: the session speaks to the last one only. */
  connection: number;
  /** That one has said goodbye. */
  hasLeft: boolean;
  /** Set while disconnected, epoch ms. */
  windowEndsAtMs: number | null;
  /** What is recorded goes to a media with the session's id, so that segments lie where its renditions will be. */
  recording: RecordingOrder | null;
  isRecording: boolean;
  /** Whole segments so far, which is the next media sequence number. */
  segments: number;
  facts: Started | null;
  droppedRungs: string[];
}

export const SESSION_ENDS = ["finished", "disabled", "deleted", "max_duration", "window_over"] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** A stream's wait as this deployment takes it, ms: see `LIVE_WAIT_SCALE`. */
export const waitMs = (env: Pick<Env, "LIVE_WAIT_SCALE">, seconds: number): number =>
  seconds * 1000 * (Number(env.LIVE_WAIT_SCALE ?? "") || 1);

/** What is to be done about a broadcaster who asks to come in. Pure. @param heardAtMs when the one on air was heard of last */
export function decideConnect(
  status: StreamStatus,
  windowEndsAtMs: number | null,
  heardAtMs: number,
  nowMs: number,
): "unknown_key" | "disabled" | "busy" | "open" | "resume" {
  if (status === "deleted") return "unknown_key";
  if (status === "disabled") return "disabled";
  if (isOnAir(status)) return nowMs - heardAtMs < SILENT_AFTER_MS ? "busy" : "resume";
  return status === "disconnected" && windowEndsAtMs !== null && nowMs < windowEndsAtMs ? "resume" : "open";
}

/** The gateway of the broadcaster on air has died and come back: that broadcaster is gone, whenever it was heard of last. Pure. */
export const hasGatewayRestarted = (session: Session | null, order: ConnectOrder): boolean =>
  session !== null && session.gatewayId === order.gatewayId && session.gatewayStartedAt !== order.gatewayStartedAt;

export function openSession(order: ConnectOrder, sessionId: string, nowMs: number): Session {
  return {
    id: sessionId,
    streamId: order.streamId,
    workspaceId: order.workspaceId,
    startedAtMs: nowMs,
    gatewayId: order.gatewayId,
    gatewayStartedAt: order.gatewayStartedAt,
    protocol: order.protocol,
    settings: order.settings,
    reconnectWindowS: order.reconnectWindowS,
    maxDurationS: order.maxDurationS,
    connection: 1,
    hasLeft: false,
    windowEndsAtMs: null,
    recording: order.recording,
    isRecording: false,
    segments: 0,
    facts: null,
    droppedRungs: [],
  };
}

/** The session with its broadcaster back, perhaps at another gateway. What players hold on to stays: latency mode and times. */
export const resumeSession = (
  session: Session,
  { gatewayId, gatewayStartedAt, protocol, reconnectWindowS }: ConnectOrder,
): Session => ({
  ...session,
  gatewayId,
  gatewayStartedAt,
  protocol,
  reconnectWindowS,
  connection: session.connection + 1,
  hasLeft: false,
  windowEndsAtMs: null,
});

export const isAudioOnly = (session: Session | null): boolean =>
  session?.facts !== null &&
  session?.facts !== undefined &&
  session.facts.video === null &&
  session.facts.audio !== null;

/** The session's row in D1. @param end null while it goes on */
export const toSessionFacts = (session: Session, end: { atMs: number; why: SessionEnd } | null): SessionFacts => ({
  id: session.id,
  streamId: session.streamId,
  workspaceId: session.workspaceId,
  mediaId: session.isRecording ? session.id : null,
  gatewayId: session.gatewayId,
  protocol: session.protocol,
  latencyMode: session.settings.latencyMode,
  partTargetMs: session.settings.partTargetMs,
  segmentMs: session.settings.segmentMs,
  renditions: session.facts?.renditions ?? null,
  segments: session.segments,
  startedAtMs: session.startedAtMs,
  endedAtMs: end?.atMs ?? null,
  endReason: end?.why ?? null,
});
