/** Lets an encoder continue a run that another encoder started before it crashed. */
import type { Continuation, RenditionProgress } from "./run-state.ts";
import { PICTURE_TIMESCALE } from "./live-grid.ts";
import { createHash } from "node:crypto";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import { type PartFacts, SOUND_NAME } from "./output.ts";

/** The run cannot be continued unchanged. No output has been produced. */
export class CannotContinue extends Error {}

export const digestOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export const progressBehind = (facts: PartFacts): RenditionProgress => ({
  rendition: facts.rendition,
  msn: facts.isLast ? facts.msn + 1 : facts.msn,
  part: facts.isLast ? 0 : facts.part + 1,
  endTicks: facts.decodeTicks + facts.durationTicks,
  capturedAtMs: facts.isLast ? null : facts.capturedAtMs,
});

/** Position at which a rendition continues in its run; all counts start at 0. */
export interface CutPlace {
  segment: number;
  part: number;
  sample: number;
}

export function placeOf(rendition: string, { run, progress }: Continuation): CutPlace {
  const found = progress.find((one) => one.rendition === rendition);
  if (found === undefined) return { segment: 0, part: 0, sample: 0 };
  const isSound = rendition === SOUND_NAME;
  const timescale = isSound ? run.sound!.sampleRateHz : PICTURE_TIMESCALE;
  const sampleTicks = isSound ? AAC_FRAME_SAMPLES : run.grid!.ticksPerFrame;
  const baseTicks = run.start.ticks[rendition] ?? Math.round(run.start.seconds * timescale);
  return {
    segment: found.msn - run.start.msn,
    part: found.part,
    sample: Math.round((found.endTicks - baseTicks) / sampleTicks),
  };
}
