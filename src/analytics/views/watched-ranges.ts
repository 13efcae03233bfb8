import type { TimelineEvent } from "./view-event.ts";

/** Playback without an interruption: where in the media, and when by our clock (epoch ms). */
export type WatchedRange = [mediaFromMs: number, mediaToMs: number, fromMs: number, toMs: number];

/** Events after which the picture stands still. */
const HALTS = new Set(["pause", "seeking", "waiting", "buffering", "ended", "error", "viewCompleted"]);
/** The playhead that players state with them may be that of before the seek, or of after it. */
const SEEKS = new Set(["seeking", "seeked"]);
/** Players may play faster. A larger step of the playhead is a seek that was not reported. */
const FASTEST_RATE = 4;
const ROUNDING_MS = 1000;
/** Ranges that are this close are one. */
const GAP_MS = 250;

/**
 * What a viewer has watched, from the events of the view in their order. Events with a playhead correct the position; between them it is
 * that of real-time playback. What follows the last event is not known, and does not count. Pure.
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
  else ranges.push([mediaFromMs, mediaToMs, fromMs, toMs]);
}
