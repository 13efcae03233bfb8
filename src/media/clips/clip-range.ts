/** Which frames and segments of a media a clip has. Pure. */
import type { Fraction } from "../../../protocol/source-facts.ts";

/** Times are stored as whole milliseconds, so a frame is meant by a time up to half of one after it. */
const TOLERANCE_MS = 0.5;

/** The number of frames that are presented before a time. */
export const framesBefore = (ms: number, { num, den }: Fraction): number =>
  Math.max(0, Math.ceil(((ms - TOLERANCE_MS) * num) / (den * 1000) - 1e-6));

export const msOfFrame = (frame: number, { num, den }: Fraction): number => (frame * den * 1000) / num;

/** Consecutive frames; `end` is exclusive. */
export interface FrameRange {
  first: number;
  end: number;
}

/**
 * The frames that are presented from `startMs` on and before `endMs`, as far as there are any.
 *
 * @param endMs null = to the end
 */
export function clipFrames(
  { startMs, endMs }: { startMs: number; endMs: number | null },
  frameRate: Fraction,
  frameCount: number,
): FrameRange {
  const end = endMs === null ? frameCount : Math.min(frameCount, framesBefore(endMs, frameRate));
  return { first: Math.min(end, framesBefore(startMs, frameRate)), end };
}

/** How a clip is cut from the segments of a media, which lie on a grid. */
export interface SegmentCut {
  /** Numbers of the media's segments; `endSegment` is exclusive. */
  firstSegment: number;
  endSegment: number;
  /** The part of the first segment, or of the only one, that has to be made again; null = the segment is taken whole. */
  head: FrameRange | null;
  /** The same of the last segment, if it is not the first one too. */
  tail: FrameRange | null;
}

/** @param frameCount of the media @param range not empty */
export function cutSegments({ first, end }: FrameRange, frameCount: number, framesPerSegment: number): SegmentCut {
  const firstSegment = Math.floor(first / framesPerSegment);
  const endSegment = Math.ceil(end / framesPerSegment);
  const isWhole = (from: number, to: number) =>
    from % framesPerSegment === 0 && (to % framesPerSegment === 0 || to === frameCount);
  if (endSegment - firstSegment === 1)
    return { firstSegment, endSegment, head: isWhole(first, end) ? null : { first, end }, tail: null };
  const headEnd = (firstSegment + 1) * framesPerSegment;
  const tailStart = (endSegment - 1) * framesPerSegment;
  return {
    firstSegment,
    endSegment,
    head: isWhole(first, headEnd) ? null : { first, end: headEnd },
    tail: isWhole(tailStart, end) ? null : { first: tailStart, end },
  };
}

/** Frames of the sound that belong to a part of a segment; `end` is exclusive. */
export interface SoundCut {
  startTicks: number;
  endTicks: number;
}

/**
 * The AAC frames of a part of a segment that play between two times: the one in which it starts up to the one in which it ends, so that the sound
 * covers the picture. A decoder needs the frame before the first one for its first samples; those lie mostly before the picture.
 *
 * @param segment where it starts and ends, in ticks; a whole number of frames
 */
export function soundFrames(
  segment: SoundCut,
  { startSeconds, endSeconds }: { startSeconds: number; endSeconds: number },
  { timescale, frameTicks }: { timescale: number; frameTicks: number },
): SoundCut {
  const whole = (ticks: number) => segment.startTicks + ticks * frameTicks;
  const before = Math.floor((startSeconds * timescale - segment.startTicks) / frameTicks + 1e-6);
  const until = Math.ceil((endSeconds * timescale - segment.startTicks) / frameTicks - 1e-6);
  const startTicks = Math.min(Math.max(segment.startTicks, whole(before)), segment.endTicks - frameTicks);
  return { startTicks, endTicks: Math.max(startTicks + frameTicks, Math.min(segment.endTicks, whole(until))) };
}
