/** Lets an encoder continue a run that another encoder started before it crashed. */
import type { BroadcastPlan } from "./output.ts";
import type { Continuation, RenditionProgress, RunState } from "./run-state.ts";
import { CaptureClock } from "./capture-clock.ts";
import { PICTURE_TIMESCALE } from "./live-grid.ts";
import { createHash } from "node:crypto";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { PartFacts } from "./output.ts";
import { SegmentGrid } from "./segment-grid.ts";

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

/** @param continues null = a new run */
export function placeOf(rendition: string, continues: Continuation | null): CutPlace {
  const found = continues?.progress.find((one) => one.rendition === rendition);
  if (found === undefined) return { segment: 0, part: 0, sample: 0 };
  const { run } = continues!;
  const sound = run.sounds.find(({ name }) => name === rendition);
  const timescale = sound?.format.sampleRateHz ?? PICTURE_TIMESCALE;
  const sampleTicks = sound === undefined ? run.grid!.ticksPerFrame : AAC_FRAME_SAMPLES;
  const baseTicks = run.start.ticks[rendition] ?? Math.round(run.start.seconds * timescale);
  return {
    segment: found.msn - run.start.msn,
    part: found.part,
    sample: Math.round((found.endTicks - baseTicks) / sampleTicks),
  };
}

/** A capture clock that continues from the newest published segment. */
export function continuedClock({ run, progress }: Continuation, settings: BroadcastPlan["settings"]): CaptureClock {
  const newest = progress.filter((one) => one.capturedAtMs !== null).toSorted((a, b) => b.msn - a.msn)[0];
  if (newest === undefined) return new CaptureClock();
  const grid = new SegmentGrid(run.grid, settings, run.isFirstShort);
  const mediaSeconds = run.zeroSeconds + grid.startSeconds(newest.msn - run.start.msn);
  return new CaptureClock({ mediaSeconds, atMs: newest.capturedAtMs! });
}

/** @throws {CannotContinue} when an init segment differs from the one that the run has published */
export function checkInits(
  inits: readonly { name: string; init: { bytes: Buffer } }[],
  { inits: published }: Pick<RunState, "inits">,
): void {
  const before = new Map(published);
  for (const { name, init } of inits)
    if (before.get(name) !== digestOf(init.bytes)) throw new CannotContinue(`the init segment of ${name} differs`);
}
