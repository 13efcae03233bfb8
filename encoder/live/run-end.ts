/** Decides how many samples a run has. Pure. */
import type { CutPlan } from "./part-cutter.ts";

type Cuts = Pick<CutPlan, "segmentEnd" | "partSamples">;

/**
 * Minimum duration of a run's last segment when the session is held after it. ffmpeg (libavformat 59, dashdec.c) finds its position in an
 * updated MPD by whole seconds, so it would play a shorter segment repeatedly.
 */
export const MIN_LAST_SEGMENT_SECONDS = 1;

/**
 * @param samples given to the run so far
 * @param minLastSegment minimum samples of the last segment; null when the session is not held after the run
 * @returns the samples of the run: enough for its last segment, and never ending between two parts
 */
export function runEnd(samples: number, minLastSegment: number | null, cuts: Cuts): number {
  const end = minLastSegment === null ? samples : Math.max(samples, leastEnd(samples, minLastSegment, cuts));
  return endsBetweenParts(end, cuts) ? end + 1 : end;
}

/** Returns where a run must end to give its last segment at least `least` samples or full length. */
function leastEnd(samples: number, least: number, { segmentEnd }: Cuts): number {
  let segment = 0;
  while (segmentEnd(segment) < samples) segment += 1;
  const begins = segment === 0 ? 0 : segmentEnd(segment - 1);
  return Math.min(begins + least, segmentEnd(segment));
}

/**
 * Whether a run of this many samples would end between two parts of a segment. The part before has then been published without being
 * marked as the last one, so one more sample is needed to form a last part.
 */
function endsBetweenParts(samples: number, { segmentEnd, partSamples }: Cuts): boolean {
  let segment = 0;
  while (segmentEnd(segment) < samples) segment += 1;
  const inSegment = samples - (segment === 0 ? 0 : segmentEnd(segment - 1));
  return samples < segmentEnd(segment) && inSegment % partSamples(segment) === 0;
}
