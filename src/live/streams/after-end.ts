/** The stages of a stream's own address after the end of a broadcast. Pure. */

/** The live window without DVR. */
export const WINDOW_SECONDS = 60;
/** Players in the middle of a session can play to its end, from its own playlists. */
export const KEEP_INDEX_MS = 24 * 3600_000;
/** The same without a recording: the segments are purged five minutes after the end. */
export const KEEP_INDEX_OF_PURGED_MS = 10 * 60_000;

/**
 * - `idle`: nothing to play, and no player can be following a broadcast.
 * - `on air`: the newest session is open.
 * - `ending`: its manifests signal the end, so that players that follow the stream's address play to the end and stop.
 * - `over`: the address serves the recording. Without one it is 410 until the broadcast's segments are deleted, then `idle`.
 */
export type StreamStage = "idle" | "on air" | "ending" | "over";

export function stageOf(session: { endedAtMs: number | null } | null, nowMs: number): StreamStage {
  if (session === null) return "idle";
  if (session.endedAtMs === null) return "on air";
  return nowMs - session.endedAtMs < WINDOW_SECONDS * 1000 ? "ending" : "over";
}

/** Whether a player may still be following a session without a recording and needs the signal that it has ended. */
export const isLatelyOver = (endedAtMs: number, nowMs: number): boolean => nowMs - endedAtMs < KEEP_INDEX_OF_PURGED_MS;

/** Time for viewers to play an ended broadcast to its end. They are at most a minute behind, unless they have seeked back. */
export const PLAYS_ON_MS = 5 * 60_000;
