import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { Heartbeat, HeartbeatAnswer, IngestProtocol, IngestSettings, Started } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { ittyMachine } from "../../platform/machine/itty.ts";
import type { Remote } from "../../platform/machine/remote.ts";
import type { StreamStatus } from "./moves.ts";

export type StartedAnswer =
  | { isOver: true }
  | { isOver: false; settings: Omit<IngestSettings, "reconnect">; maxDurationS: number };
/** Identifies the connection that calls: see `Session.connection`. */
export interface Connection {
  sessionId: string;
  connection: number;
}

/** `isLatest`: no newer session has begun. */
export interface ConnectionCheck {
  isCurrent: boolean;
  isLatest: boolean;
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
  /** For a stream with DRM. Absent in sessions from before there was DRM. */
  keySystems?: KeySystem[] | null;
  publicUrl: string;
}

export type ConnectAnswer =
  | { accepted: true; sessionId: string; connection: number; settings: IngestSettings; isResumed: boolean }
  | { accepted: false; reason: "unknown_key" | "disabled" | "busy" };

/** The calls of a stream's machine (`durable-objects/live-stream-machine.ts`), through itty-durable: arguments and answers are JSON. */
export interface StreamCalls {
  /** Accepts or refuses a broadcaster whose key is valid. */
  connect(order: ConnectOrder): ConnectAnswer;
  /** The gateway knows the renditions of the broadcast. */
  startBroadcast(connection: Connection, started: Started): StartedAnswer;
  keepOnAir(connection: Connection, heartbeat: Heartbeat): Omit<HeartbeatAnswer, "token">;
  checkConnection(connection: Connection): ConnectionCheck;
  /** The broadcaster has left. */
  endConnection(connection: Connection): void;
  /** Actions of the stream's owner. `moved`: false when the stream's state does not accept the action. */
  finish(streamId: string): Promise<{ moved: boolean }>;
  disable(streamId: string): Promise<{ moved: boolean }>;
  enable(streamId: string): Promise<{ moved: boolean }>;
  remove(streamId: string): Promise<{ moved: boolean }>;
  changeReconnectWindow(reconnectWindowS: number): void;
  reportViewers(sessionId: string, viewers: number): void;
  countViewers(): number;
  /** For the sweep. Repeatable. */
  wake(streamId: string): { status: StreamStatus };
}

/** Returns a stub; sends nothing. */
export const streamMachine = (env: Env, streamId: string): Remote<StreamCalls> =>
  ittyMachine(env.LIVE_STREAM_MACHINE, streamId);
