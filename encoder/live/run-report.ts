/** Describes a run to the listener of its broadcast. Pure. */
import { digestOf } from "./continuation.ts";
import type { RunOpening } from "./output.ts";
import type { PicturePlans } from "./picture-plans.ts";
import type { Run } from "./run.ts";
import type { RunPlan } from "./run-plan.ts";
import type { RunState } from "./run-state.ts";

/** State from which another encoder can continue the run. @param session null without a picture */
export function runState(
  run: Run,
  { zeroSeconds, interleaveSeconds, picture, sounds, isFirstShort }: RunPlan,
  session: Pick<PicturePlans, "ladder" | "codecs"> | null,
): RunState {
  const copied = picture?.copy ?? null;
  return {
    start: run.start,
    zeroSeconds,
    interleaveSeconds,
    grid: picture?.grid ?? null,
    isFirstShort,
    ladder: session?.ladder ?? [],
    rungs: picture?.rungs ?? [],
    copied: copied && {
      rung: copied.rung,
      bitrateBps: copied.bitrateBps,
      phase: run.picture!.copyPhase!,
      avcConfig: copied.avcConfig.toString("base64"),
      leadParameterSetId: copied.leadParameterSetId,
    },
    codecs: [...(session?.codecs ?? [])],
    sounds: [...sounds],
    inits: run.inits.map(({ name, init }) => [name, digestOf(init.bytes)]),
  };
}

/** Requests the run's position in the session. @param after end of the previous run @param because why it has ended */
export const runOpening = (
  run: Run,
  capturedAtMs: number,
  after: RunOpening["after"],
  because: RunOpening["because"],
): RunOpening => ({
  capturedAtMs,
  renditions: run.inits.map(({ name, init }) => ({ name, initSha256: digestOf(init.bytes) })),
  after,
  because,
});
