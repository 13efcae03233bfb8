import type { TimerHandlers } from "../../platform/machine/timers.ts";
import type { ImageMakerComponents, ImageTimer } from "./components.ts";
import { reportKept, sweepImages } from "./keep-images.ts";
import { prepareDue } from "./prepare-images.ts";

/** Runs what is due. @returns whether the maker has nothing left to keep */
export async function runImageTimers(machine: ImageMakerComponents): Promise<boolean> {
  let isUnused = false;
  const handlers: Record<ImageTimer, () => Promise<void>> = {
    prepare: () => prepareDue(machine),
    report: () => reportKept(machine),
    sweep: async () => {
      isUnused = await sweepImages(machine);
    },
  };
  await machine.timers.runDue({ run: (timer) => handlers[timer]() } satisfies TimerHandlers<ImageTimer>);
  return isUnused;
}
