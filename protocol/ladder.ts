import type { FrameGrid, VideoRung } from "./jobs.ts";
import type { Fraction } from "./source-facts.ts";

export type ResolutionLabel = "2160p" | "1440p" | "1080p" | "720p" | "480p";
export type MediaQuality = "standard" | "pro" | "premium";

/** Rungs by the shorter edge of a 16:9 box; bitrate caps are for 30 fps at the full box size. */
const BOXES = [
  { shortPx: 2160, maxBitrateBps: 16_000_000 },
  { shortPx: 1440, maxBitrateBps: 10_000_000 },
  { shortPx: 1080, maxBitrateBps: 5_800_000 },
  { shortPx: 720, maxBitrateBps: 3_000_000 },
  { shortPx: 480, maxBitrateBps: 1_400_000 },
  { shortPx: 270, maxBitrateBps: 550_000 },
] as const;

const QUALITY = {
  standard: { crf: 23, rateFactor: 1, preset: "veryfast" },
  pro: { crf: 21, rateFactor: 1.3, preset: "faster" },
  premium: { crf: 19, rateFactor: 1.6, preset: "medium" },
} as const;

/** A rung closer than this to the one above it is omitted. */
const CLOSEST_STEP = 0.8;

export interface Size {
  widthPx: number;
  heightPx: number;
}

/** The nearest even size that does not exceed the source's. */
const even = (px: number, ofSourcePx: number) =>
  Math.max(2, Math.min(2 * Math.round(px / 2), 2 * Math.floor(ofSourcePx / 2)));
const longEdge = (shortPx: number) => (shortPx * 16) / 9;

/** Scale factor that fits a picture into a box in either orientation; at most 1. */
function scaleInto(size: Size, shortPx: number): number {
  const short = Math.min(size.widthPx, size.heightPx);
  const long = Math.max(size.widthPx, size.heightPx);
  return Math.min(1, shortPx / short, (longEdge(shortPx) + 1) / long); // + 1: 854×480 fits the 480p box
}

/** Label of the smallest box that contains the picture: 800×332 is "480p", 1080×1920 is "1080p". At least "480p", at most "2160p". */
export function resolutionLabel(size: Size): ResolutionLabel {
  const box = BOXES.toReversed().find((box) => box.shortPx >= 480 && scaleInto(size, box.shortPx) === 1);
  return `${box?.shortPx ?? 2160}p` as ResolutionLabel;
}

/**
 * Picks the renditions to encode for a picture, largest first, with even sizes. Never upscales and keeps the aspect ratio. A picture below
 * the lowest rung gets that rung at its own size, so there is always at least one.
 *
 * @param source display size after rotation, square pixels
 * @param frameRate of the output; rates above 30 get 1.5 times the bitrate
 */
export function planLadder(
  source: Size,
  frameRate: Fraction,
  max: ResolutionLabel,
  quality: MediaQuality,
): VideoRung[] {
  const { crf, rateFactor, preset } = QUALITY[quality];
  const maxShortPx = Number.parseInt(max, 10);
  const rungs: VideoRung[] = [];
  let above = Number.POSITIVE_INFINITY;
  for (const [position, { shortPx, maxBitrateBps }] of BOXES.entries()) {
    if (shortPx > maxShortPx) continue;
    const scale = scaleInto(source, shortPx);
    const below = BOXES[position + 1];
    const fitsNext = scale === 1 && below !== undefined && scaleInto(source, below.shortPx) === 1;
    if (fitsNext || scale > above * CLOSEST_STEP) continue;
    above = scale;
    const size = fitInto(source, shortPx);
    const fill = Math.min(1, (size.widthPx * size.heightPx) / (shortPx * longEdge(shortPx)));
    const speed = frameRate.num / frameRate.den > 31 ? 1.5 : 1;
    const rate = Math.max(100_000, maxBitrateBps * rateFactor * speed * fill ** 0.75);
    rungs.push({ name: `v${shortPx}`, ...size, crf, maxBitrateBps: Math.round(rate / 1000) * 1000, preset });
  }
  return rungs;
}

/** Size of a picture fitted into the box with this shorter edge: never upscaled, even, same aspect ratio. */
export function fitInto(source: Size, shortPx: number): Size {
  const scale = scaleInto(source, shortPx);
  return {
    widthPx: even(source.widthPx * scale, source.widthPx),
    heightPx: even(source.heightPx * scale, source.heightPx),
  };
}

/** GOPs of about 2 s and segments of two GOPs, in whole frames, so that chunks are contiguous. */
export function planGrid(frameRate: Fraction): FrameGrid {
  const framesPerGop = Math.max(1, Math.round((2 * frameRate.num) / frameRate.den));
  return { frameRate, framesPerGop, framesPerSegment: 2 * framesPerGop };
}
