import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { imageMaker } from "../images/image-calls.ts";
import { cleanUp } from "./clean-up.ts";
import { onTimerFailure } from "./on-timer-failure.ts";
import type { AssetComponents, AssetTimer } from "./components.ts";
import { prepareTracks } from "./prepare-tracks.ts";
import { purge } from "./purge.ts";
import { runWork } from "./run-work.ts";

export function assetTimers(machine: AssetComponents): TimerHandlers<AssetTimer> {
  const handlers: Record<AssetTimer, () => Promise<void>> = {
    work: () => runWork(machine),
    tracks: () => prepareTracks(machine),
    outbox: () => machine.outbox.drain(),
    cleanup: () => cleanUp(machine),
    purge: () => purge(machine),
    images: () => imageMaker(machine.env, machine.id).prepareSoon(machine.id),
  };
  return {
    run: (timer) => handlers[timer](),
    onFailure: (timer, failures) => onTimerFailure(machine, timer, failures),
  };
}
