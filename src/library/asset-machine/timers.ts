import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { imageMaker } from "../images/image-calls.ts";
import { makeInsights } from "./insights/make-insights.ts";
import { purge, releaseFailed } from "./remove-asset.ts";
import { type AssetComponents, type AssetTimer, MAX_WORK_FAILURES } from "./core/components.ts";
import { giveUpTracks, prepareTracks } from "./tracks/prepare-tracks.ts";
import { runWork } from "./run-work.ts";
import { STUCK } from "../assets/asset-error.ts";
import { failAsset } from "./end-processing.ts";

export function assetTimers(machine: AssetComponents): TimerHandlers<AssetTimer> {
  const handlers: Record<AssetTimer, () => Promise<void>> = {
    work: () => runWork(machine),
    tracks: () => prepareTracks(machine),
    insights: () => makeInsights(machine),
    outbox: () => machine.outbox.drain(),
    cleanup: () => releaseFailed(machine),
    purge: () => purge(machine),
    images: () => imageMaker(machine.env, machine.id).prepareSoon(machine.id),
  };
  return {
    run: (timer) => handlers[timer](),
    onFailure: (timer, failures) => onTimerFailure(machine, timer, failures),
  };
}

/** Fails an asset whose work keeps throwing for internal reasons, instead of retrying it forever. Results of AI fail one by one: see `makeInsights`. */
function onTimerFailure(machine: AssetComponents, timer: AssetTimer, failures: number): void {
  if (failures < MAX_WORK_FAILURES) return;
  if (timer === "tracks") giveUpTracks(machine);
  if (timer === "work" && machine.isProcessing) failAsset(machine, STUCK);
}
