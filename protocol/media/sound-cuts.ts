/** Cuts sound into the segments of a recording. Pure: the encoder cuts by it, and the Worker lists the same segments. */
import type { SoundCuts } from "../jobs.ts";
import { AAC_FRAME_SAMPLES } from "./audio-plan.ts";

/** One segment of the sound. */
export interface SoundCut {
  /** AAC frames, counted from the start of the recording. */
  firstFrame: number;
  frameCount: number;
  /** Decode time of its first sample, in samples, on the clock of its span. */
  decodeTicks: number;
  /** The recording has no media here. */
  isGap: boolean;
}

/**
 * Each segment ends at the AAC frame nearest to the picture's cut, and has at least one frame. Frames keep their distance to the picture: a span
 * whose first frame begins some samples before or after its picture has a start time that says so.
 */
export function cutSound({ endsUs, spans }: SoundCuts, sampleRateHz: number): SoundCut[] {
  const samplesIn = (us: number) => (us * sampleRateHz) / 1e6;
  const cuts: SoundCut[] = [];
  let [firstFrame, nextSpan, shiftTicks, isGap] = [0, 0, 0, false];
  for (const [segment, endUs] of endsUs.entries()) {
    const span = spans[nextSpan];
    if (span?.first === segment) {
      const startUs = endsUs[segment - 1] ?? 0;
      // Decode times are not negative.
      shiftTicks = Math.max(-firstFrame * AAC_FRAME_SAMPLES, Math.round(samplesIn(span.mediaUs - startUs)));
      isGap = span.isGap;
      nextSpan += 1;
    }
    const end = Math.max(firstFrame + 1, Math.round(samplesIn(endUs) / AAC_FRAME_SAMPLES));
    const decodeTicks = firstFrame * AAC_FRAME_SAMPLES + shiftTicks;
    cuts.push({ firstFrame, frameCount: end - firstFrame, decodeTicks, isGap });
    firstFrame = end;
  }
  return cuts;
}

/** The length of the sound, in AAC frames. */
export function frameCountOf(cuts: readonly SoundCut[]): number {
  const last = cuts.at(-1);
  return last === undefined ? 0 : last.firstFrame + last.frameCount;
}
