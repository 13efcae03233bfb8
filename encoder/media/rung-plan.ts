/** How a rung of a chunk is encoded: x264 options, extra frames around the chunk, file timescale. Pure. */
import type { FrameGrid, VideoRung } from "../../protocol/jobs.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import { x264Instructions } from "./instructions.ts";

/**
 * Threads of one encoder. Fixed, because x264's rate control depends on the number of frame threads, and a chunk must be encoded to
 * identical bytes on any machine.
 */
export const ENCODER_THREADS = 4;

/** x264 options. GOPs are closed and of constant length, so chunks can be cut at any GOP boundary. */
export function encoderOptions(rung: VideoRung, grid: FrameGrid): Record<string, string | number> {
  return {
    preset: rung.preset,
    profile: "high",
    crf: rung.crf,
    maxrate: rung.maxBitrateBps,
    bufsize: rung.maxBitrateBps * 2,
    g: grid.framesPerGop,
    keyint_min: grid.framesPerGop,
    sc_threshold: 0,
    forced_idr: 1,
    // Captions are tracks. Inside the picture they would be broken by frames that are repeated or left out, and cost each rung 18 kbit/s.
    a53cc: 0,
    // annexb=0: length-prefixed samples for ISO BMFF, and the avcC as extradata.
    "x264-params": ["annexb=0:open-gop=0:scenecut=0:repeat-headers=0:force-cfr=1", x264Instructions(rung.widthPx)]
      .filter(Boolean)
      .join(":"),
  };
}

/**
 * Frames encoded around a chunk and discarded, so that the chunk equals the same range of a single pass. Lead: x264 estimates the quality
 * of a stream's first picture, but derives that of a later key frame from the preceding pictures (1.7 dB difference at 480×270). Tail: at
 * the end of a stream x264 places B-frames differently and spends fewer bits on the last pictures (0.6 dB). The lead is even, so that
 * adjacent key frames (GOPs of one frame) differ in idr_pic_id (H.264 §7.4.3) across chunks too.
 */
const LEAD_FRAMES = 8;
const TAIL_FRAMES = 4;

/** The frames to encode for a chunk, including lead and tail; the source may end earlier. */
export function framesAround(chunk: { firstFrame: number; frameCount: number }): {
  firstFrame: number;
  frameCount: number;
} {
  const lead = Math.min(chunk.firstFrame, LEAD_FRAMES);
  return { firstFrame: chunk.firstFrame - lead, frameCount: lead + chunk.frameCount + TAIL_FRAMES };
}

const MIN_TICKS_PER_FRAME = 500;

/**
 * Ticks per frame in the media files, a multiple of the rate's denominator: decode times need fractions of a frame. Facts use the rate's
 * numerator as timescale; a file's timescale may differ (ISO/IEC 23009-1 §5.3.9.6).
 */
export function fileTicksPerFrame({ den }: Fraction): number {
  return den * Math.ceil(MIN_TICKS_PER_FRAME / den);
}
