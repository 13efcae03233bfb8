import type { Rendition } from "./model.ts";

/**
 * The longest segment duration, rounded to whole seconds (RFC 8216bis §4.4.3.1). It must not change while a playlist grows, so for the
 * ladder it is at least the nominal 4 s, and for added sound too: all playlists of a presentation have the same (§6.2.4).
 */
export function targetDuration({ segments, timescale, origin }: Rendition): number {
  const longest = segments.durationTicks.reduce((most, ticks) => Math.max(most, ticks), 0) / timescale;
  return Math.max(origin === "passthrough" ? 1 : 4, Math.round(longest));
}

/**
 * The largest bit rate, in bits per second, of any consecutive segments that last 0.5 to 1.5 target durations together (RFC 8216bis §4.1);
 * the average of the whole rendition when it is shorter.
 */
export function peakBitrate(rendition: Rendition): number {
  return peakOf(
    rendition.segments.durationTicks,
    rendition.segments.bytes,
    rendition.timescale,
    targetDuration(rendition),
  );
}

export function peakOf(durationTicks: number[], bytes: number[], timescale: number, targetSeconds: number): number {
  let peak = 0;
  for (let first = 0; first < bytes.length; first++) {
    let seconds = 0;
    let sum = 0;
    for (let last = first; last < bytes.length; last++) {
      seconds += durationTicks[last]! / timescale;
      sum += bytes[last]!;
      if (seconds > targetSeconds * 1.5) break;
      if (seconds >= targetSeconds * 0.5) peak = Math.max(peak, (sum * 8) / seconds);
    }
  }
  return Math.ceil(peak > 0 ? peak : averageOf(durationTicks, bytes, timescale));
}

/** Average over existing segments only, because a gap has a duration but no bytes. */
export function averageBitrate({ segments: { durationTicks, bytes }, timescale }: Rendition): number {
  const isThere = (_: number, n: number) => bytes[n] !== 0;
  return Math.ceil(averageOf(durationTicks.filter(isThere), bytes.filter(isThere), timescale));
}

function averageOf(durationTicks: number[], bytes: number[], timescale: number): number {
  const seconds = durationTicks.reduce((sum, ticks) => sum + ticks, 0) / timescale;
  return seconds > 0 ? (bytes.reduce((sum, size) => sum + size, 0) * 8) / seconds : 0;
}
