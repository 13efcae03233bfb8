import type { TimelineEvent } from "./view-event.ts";

/** Uninterrupted playback: the positions in the media, and the times by our clock (epoch ms). */
export type WatchedRange = [mediaFromMs: number, mediaToMs: number, fromMs: number, toMs: number];

/** Events that stop the picture. */
const HALTS = new Set(["pause", "seeking", "waiting", "buffering", "ended", "error", "viewCompleted"]);
/** Their playhead may be the position before the seek or after it, depending on the player. */
const SEEKS = new Set(["seeking", "seeked"]);
/** Allows for a higher playback rate. A larger step of the playhead is an unreported seek. */
const FASTEST_RATE = 4;
const ROUNDING_MS = 1000;
/** Most ranges of a view; later ones are left out. Twelve hours with a pause every minute have 720. */
const MAX_RANGES = 2000;
/** Ranges that are this close are merged. */
const GAP_MS = 250;

/**
 * The ranges that a viewer has watched, from the view's events in order. Events with a playhead correct the position; between them, real-time
 * playback is assumed. Playback after the last event is unknown and does not count. Pure.
 */
export function watchedRanges(timeline: readonly TimelineEvent[]): WatchedRange[] {
  const ranges: WatchedRange[] = [];
  let playing: { mediaMs: number; atMs: number } | null = null;
  let playheadMs = 0;
  for (const { e: name, pt, vt: atMs } of timeline) {
    const statedMs = SEEKS.has(name) ? null : pt;
    if (playing !== null) {
      const elapsedMs = Math.max(0, atMs - playing.atMs);
      const stepMs = (statedMs ?? Number.NaN) - playing.mediaMs;
      const isStep = stepMs >= 0 && stepMs <= elapsedMs * FASTEST_RATE + ROUNDING_MS;
      playheadMs = playing.mediaMs + (isStep ? stepMs : elapsedMs);
      append(ranges, [playing.mediaMs, playheadMs, playing.atMs, playing.atMs + elapsedMs]);
      playheadMs = statedMs ?? playheadMs;
      playing = HALTS.has(name) ? null : { mediaMs: playheadMs, atMs };
    }
    if (name === "playing") playing = { mediaMs: pt ?? playheadMs, atMs };
    else if (name === "seeked" && pt !== null) playheadMs = pt;
  }
  return ranges.filter(([from, to]) => to > from);
}

function append(ranges: WatchedRange[], [mediaFromMs, mediaToMs, fromMs, toMs]: WatchedRange): void {
  const last = ranges.at(-1);
  const continues =
    last !== undefined && Math.abs(mediaFromMs - last[1]) <= GAP_MS && Math.abs(fromMs - last[3]) <= GAP_MS;
  if (continues) [last[1], last[3]] = [mediaToMs, toMs];
  else if (ranges.length < MAX_RANGES) ranges.push([mediaFromMs, mediaToMs, fromMs, toMs]);
}
