/** What a stream's own address answers once its broadcast is over. Pure. */

/** How far back players may go without DVR. */
export const WINDOW_SECONDS = 60;
/** Players that are in the middle of a session go on to its end, by its own playlists. */
export const KEEP_INDEX_MS = 24 * 3600_000;
/** The same without a recording: the segments are purged five minutes after the end. */
export const KEEP_INDEX_OF_PURGED_MS = 10 * 60_000;

/**
 * - `idle`: nothing to play, and nobody can be following a broadcast.
 * - `on air`: the newest session goes on.
 * - `ending`: its manifests say that it has ended, so that players which follow the stream's address play to the end and stop.
 * - `over`: the address leads to the recording. Without one it is gone until what was broadcast is deleted, then `idle`.
 */
export type StreamStage = "idle" | "on air" | "ending" | "over";

export function stageOf(session: { endedAtMs: number | null } | null, nowMs: number): StreamStage {
  if (session === null) return "idle";
  if (session.endedAtMs === null) return "on air";
  return nowMs - session.endedAtMs < WINDOW_SECONDS * 1000 ? "ending" : "over";
}

/** Whether a client may still be following a session without a recording, and has to be told that nothing more will come. */
export const isLatelyOver = (endedAtMs: number, nowMs: number): boolean => nowMs - endedAtMs < KEEP_INDEX_OF_PURGED_MS;

/** Viewers of a broadcast play it to its end after it is over; they are at most a minute behind unless they have gone back. */
export const PLAYS_ON_MS = 5 * 60_000;
