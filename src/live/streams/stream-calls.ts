import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { Heartbeat, HeartbeatAnswer, IngestProtocol, IngestSettings, Started } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import type { StreamStatus } from "./moves.ts";

/** The calls of a stream's machine, by name, with their answers. */
export interface StreamCalls {
  connect: { order: ConnectOrder; answer: ConnectAnswer };
  started: { order: Connection & Started; answer: StartedAnswer };
  heartbeat: { order: Connection & Heartbeat; answer: Omit<HeartbeatAnswer, "token"> };
  check: { order: Connection; answer: { isCurrent: boolean; isLatest: boolean } };
  ended: { order: Connection; answer: null };
  finish: { order: Named; answer: { moved: boolean } };
  disable: { order: Named; answer: { moved: boolean } };
  enable: { order: Named; answer: { moved: boolean } };
  remove: { order: Named; answer: { moved: boolean } };
  configure: { order: Named & { reconnectWindowS: number }; answer: null };
  watched: { order: { sessionId: string; viewers: number }; answer: null };
  viewers: { order: Named; answer: { views: number } };
  wake: { order: Named; answer: { status: StreamStatus } };
}
export type StartedAnswer =
  | { isOver: true }
  | { isOver: false; settings: Omit<IngestSettings, "reconnect">; maxDurationS: number };
export interface Named {
  streamId: string;
}
/** Identifies the connection that calls: see `Session.connection`. */
export interface Connection {
  sessionId: string;
  connection: number;
}

/** A broadcaster whose key is valid, with the stream's settings. */
export interface ConnectOrder {
  streamId: string;
  workspaceId: string;
  gatewayId: string;
  gatewayStartedAt: number;
  protocol: IngestProtocol;
  settings: Omit<IngestSettings, "reconnect">;
  /** Null = no recording. */
  recording: RecordingOrder | null;
  reconnectWindowS: number;
  maxDurationS: number;
}

export interface RecordingOrder {
  policy: "public" | "private";
  /** Of a stream with DRM. Absent in sessions from before there was DRM. */
  keySystems?: KeySystem[] | null;
  publicUrl: string;
}

export type ConnectAnswer =
  | { accepted: true; sessionId: string; connection: number; settings: IngestSettings; isResumed: boolean }
  | { accepted: false; reason: "unknown_key" | "disabled" | "busy" };

/** Calls a stream's machine and returns its answer. */
export const callStream = <Name extends keyof StreamCalls>(
  env: Env,
  streamId: string,
  name: Name,
  order: StreamCalls[Name]["order"],
): Promise<StreamCalls[Name]["answer"]> => callMachine(env.LIVE_STREAM_MACHINE, streamId, name, order);
