import {
  type IngestProtocol,
  type IngestSettings,
  type KnownSound,
  SILENT_AFTER_MS,
  type Started,
} from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { isOnAir, type StreamStatus } from "../streams/moves.ts";
import type { ConnectOrder, RecordingOrder } from "../streams/stream-calls.ts";
import { type SessionWarnings, warningsOf } from "./session-warnings.ts";
import type { SessionFacts } from "./session-facts.ts";

/** A broadcast, from its first connection to its definite end. */
export interface Session {
  id: string;
  streamId: string;
  workspaceId: string;
  startedAtMs: number;
  gatewayId: string;
  /** By the gateway's clock. It differs between processes of one gateway. */
  gatewayStartedAt: number;
  protocol: IngestProtocol;
  /** Those of all its connections, each once. Absent in sessions opened by releases that did not store it. */
  protocols?: IngestProtocol[];
  settings: Omit<IngestSettings, "reconnect">;
  reconnectWindowS: number;
  /** 0 = unbounded. Absent in sessions opened by releases that did not store it. */
  maxDurationS?: number;
  /** Counts the broadcaster's connections. Only the newest one may write. */
  connection: number;
  /** The newest connection has reported its end. */
  hasLeft: boolean;
  /** Set while disconnected, epoch ms. */
  windowEndsAtMs: number | null;
  /** The recording is an asset with the session's id, so its segments already have the keys of its renditions. */
  recording: RecordingOrder | null;
  isRecording: boolean;
  /** Whole segments so far, which is the next media sequence number. */
  segments: number;
  facts: Started | null;
  /** Sounds of all its broadcasts, those of the newest first. Absent in sessions opened by releases that did not store it. */
  sounds?: KnownSound[];
  droppedRungs: string[];
  /** Absent in sessions opened by releases that did not store it. */
  warnings?: SessionWarnings;
}

export const SESSION_ENDS = ["finished", "disabled", "deleted", "max_duration", "window_over"] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** Converts a wait to ms, scaled by `LIVE_WAIT_SCALE`. */
export const waitMs = (env: Pick<Env, "LIVE_WAIT_SCALE">, seconds: number): number =>
  seconds * 1000 * (Number(env.LIVE_WAIT_SCALE ?? "") || 1);

/** Decides on a broadcaster that wants to connect. Pure. @param heardAtMs when the broadcaster on air was last heard */
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

/** Whether the gateway of the broadcaster on air has restarted. That broadcaster is gone, however recently it was heard. Pure. */
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
    protocols: [order.protocol],
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

/** The session after a reconnect, possibly at another gateway. Latency mode and times stay, because players rely on them. */
export const resumeSession = (
  session: Session,
  { gatewayId, gatewayStartedAt, protocol, reconnectWindowS }: ConnectOrder,
): Session => ({
  ...session,
  gatewayId,
  gatewayStartedAt,
  protocol,
  protocols: [...new Set([...(session.protocols ?? [session.protocol]), protocol])],
  reconnectWindowS,
  connection: session.connection + 1,
  hasLeft: false,
  windowEndsAtMs: null,
  warnings: { earlier: warningsOf(session.warnings), current: [] },
});

export const isAudioOnly = (session: Session | null): boolean =>
  session?.facts !== null &&
  session?.facts !== undefined &&
  session.facts.video === null &&
  session.facts.audio !== null;

/** The session's row in D1. @param end null while the session is open */
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
