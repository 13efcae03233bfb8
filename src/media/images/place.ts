import { planGrid } from "../../../protocol/ladder.ts";
import { type Rendition, secondsOf } from "../manifest/model.ts";
import { spansOf } from "../manifest/spans.ts";

/** A stretch of stored media from which frames can be decoded: a key frame, a GOP, or a whole segment. */
export interface MediaPlace {
  rendition: string;
  /** Cut from the source, which we have not encoded. */
  isPassthrough: boolean;
  segment: number;
  initFile: string;
  /** First byte in the segment, and the number of bytes; null = to its end. */
  offset: number;
  length: number | null;
  /** Bytes to read at most. */
  bytes: number;
  /** When its first frame is shown, in seconds of the presentation. */
  startSeconds: number;
  /** Times of the wanted frames in the presentation, in seconds: each is after the start of its frame. */
  atSeconds: number[];
}

/** The frame that is shown at a time. */
export interface FramePlace {
  /** Part of a storage key: equal for all times at which the frame is shown, as far as its frame times are known. */
  name: string;
  place: MediaPlace;
}

/** Times in requests are rounded to milliseconds, so a frame is meant by a time up to half of one before it. */
const TOLERANCE_SECONDS = 0.0005;

/**
 * Finds the frame that a rendition shows at a time. A time in a gap has the last frame before it; a time after the end, the last frame.
 *
 * @param seconds of the presentation, from 0
 * @returns null when the rendition has no media
 */
export function frameAt(rendition: Rendition, seconds: number): FramePlace | null {
  const segment = segmentAt(rendition, seconds + TOLERANCE_SECONDS);
  if (segment === null) return null;
  const span = spansOf(rendition).findLast(({ first }) => first <= segment)!;
  return hasConstantRate(rendition)
    ? numbered(rendition, segment, seconds)
    : timed(rendition, span.initFile, segment, Math.min(seconds, startOf(rendition, segment + 1)));
}

/** Frames of the ladder are numbered; those of the source and of broadcasts have times of their own. */
const hasConstantRate = ({ origin, segments, frameRateNum, frameRateDen }: Rendition) =>
  origin === "ladder" && segments.spans === undefined && frameRateNum !== null && frameRateDen !== null;

function numbered(rendition: Rendition, segment: number, seconds: number): FramePlace {
  const frameRate = { num: rendition.frameRateNum!, den: rendition.frameRateDen! };
  const { framesPerGop } = planGrid(frameRate);
  const first = Math.round((startOf(rendition, segment) * frameRate.num) / frameRate.den);
  const frames = Math.max(1, Math.round(rendition.segments.durationTicks[segment]! / frameRate.den));
  const asked = Math.floor(((seconds + TOLERANCE_SECONDS) * frameRate.num) / frameRate.den);
  const frame = Math.min(first + frames - 1, Math.max(first, asked));
  const keyframes = rendition.segments.keyframes[segment] ?? [];
  const gop = Math.min(keyframes.length - 1, Math.floor((frame - first) / framesPerGop));
  const [offset, keyBytes] = keyframes[gop] ?? [0, null];
  const isKey = keyBytes !== null && frame - first === gop * framesPerGop;
  const end = keyframes[gop + 1]?.[0] ?? rendition.segments.bytes[segment]!;
  return {
    name: `f${frame}`,
    place: {
      ...commonOf(rendition, segment, "init.mp4"),
      offset,
      length: isKey ? keyBytes : end - offset,
      bytes: isKey ? keyBytes : end - offset,
      startSeconds: ((first + Math.max(0, gop) * framesPerGop) * frameRate.den) / frameRate.num,
      atSeconds: [((frame + 0.5) * frameRate.den) / frameRate.num],
    },
  };
}

function timed(rendition: Rendition, initFile: string, segment: number, seconds: number): FramePlace {
  return {
    name: `t${Math.round(seconds * 1000)}`,
    place: { ...wholeSegment(rendition, segment, initFile), atSeconds: [seconds + TOLERANCE_SECONDS] },
  };
}

const wholeSegment = (rendition: Rendition, segment: number, initFile: string): MediaPlace => ({
  ...commonOf(rendition, segment, initFile),
  offset: 0,
  length: null,
  bytes: rendition.segments.bytes[segment]!,
  startSeconds: startOf(rendition, segment),
  atSeconds: [],
});

const commonOf = ({ name, origin }: Rendition, segment: number, initFile: string) => ({
  rendition: name,
  isPassthrough: origin === "passthrough",
  segment,
  initFile,
});

/** The segment with media that is shown at a time. */
function segmentAt({ segments: { durationTicks, bytes }, timescale }: Rendition, seconds: number): number | null {
  const ticks = seconds * timescale;
  let end = 0;
  let found = -1;
  for (const [segment, duration] of durationTicks.entries()) {
    if (end > ticks && found >= 0) break;
    end += duration;
    if (bytes[segment]! > 0) found = segment;
    if (end > ticks && found >= 0) break;
  }
  return found < 0 ? null : found;
}

function startOf({ segments: { durationTicks }, timescale }: Rendition, segment: number): number {
  let ticks = 0;
  for (let n = 0; n < segment; n++) ticks += durationTicks[n]!;
  return ticks / timescale;
}

/** All segments of a rendition that are consecutive from `startSeconds` to `endSeconds` and share one init segment. */
export function placesBetween(rendition: Rendition, startSeconds: number, endSeconds: number): MediaPlace[] {
  const first = segmentAt(rendition, startSeconds + TOLERANCE_SECONDS);
  const last = segmentAt(rendition, Math.min(endSeconds, secondsOf(rendition)) - TOLERANCE_SECONDS);
  if (first === null || last === null) return [];
  const span = spansOf(rendition).findLast((one) => one.first <= first)!;
  const end = Math.min(Math.max(first, last), span.first + span.count - 1);
  return Array.from({ length: end - first + 1 }, (_, n) => first + n)
    .filter((segment) => rendition.segments.bytes[segment]! > 0)
    .map((segment) => wholeSegment(rendition, segment, span.initFile));
}
