import type { Moves } from "../../platform/machine/state-machine.ts";

/** `disconnected`: the broadcaster is gone and may reconnect within the reconnect window. */
export type StreamStatus = "idle" | "preparing" | "active" | "disconnected" | "disabled" | "deleted";
export type StreamSignal =
  | "prepare"
  | "connect"
  | "record"
  | "ready"
  | "drop"
  | "reconnect"
  | "windowOver"
  | "finish"
  | "disable"
  | "enable"
  | "remove";

/**
 * Ending a broadcast that is on air drops it first, so that every `connected` event is followed by a `disconnected`. A broadcaster that returns
 * before anything was playable makes the move `connect`, otherwise `reconnect`.
 */
export const STREAM_MOVES = {
  idle: {
    prepare: ["preparing", "video.live_stream.preparing"],
    disable: ["disabled", "video.live_stream.disabled"],
    remove: ["deleted", "video.live_stream.deleted"],
  },
  preparing: {
    connect: ["preparing", "live_stream.connected"],
    record: ["preparing", "video.live_stream.recording"],
    ready: ["active", "video.live_stream.active"],
    drop: ["disconnected", "live_stream.disconnected"],
  },
  active: {
    record: ["active", "video.live_stream.recording"],
    drop: ["disconnected", "live_stream.disconnected"],
  },
  disconnected: {
    connect: ["preparing", "live_stream.connected"],
    reconnect: ["active", "live_stream.connected"],
    windowOver: ["idle", "video.live_stream.idle"],
    finish: ["idle", "video.live_stream.idle"],
    disable: ["disabled", "video.live_stream.disabled"],
    remove: ["deleted", "video.live_stream.deleted"],
  },
  disabled: {
    enable: ["idle", "video.live_stream.updated"],
    remove: ["deleted", "video.live_stream.deleted"],
  },
  deleted: {},
} as const satisfies Moves<StreamStatus, StreamSignal>;

export const isOnAir = (status: StreamStatus): boolean => status === "preparing" || status === "active";
