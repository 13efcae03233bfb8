import { STUCK } from "../assets/asset-error.ts";
import { failAsset } from "./fail-asset.ts";
import { captionsJobsOf } from "./dispatch-track-jobs.ts";
import { dropCaptions } from "./on-captions-job.ts";
import { endTrack } from "./end-track.ts";
import type { AssetComponents, AssetTimer } from "./components.ts";

/** With the timers' back-off, about ten minutes of retries. */
const MAX_WORK_FAILURES = 15;

/** Fails an asset whose work keeps throwing for internal reasons, instead of retrying it forever. */
export function onTimerFailure(machine: AssetComponents, timer: AssetTimer, failures: number): void {
  if (timer === "tracks" && failures >= MAX_WORK_FAILURES) {
    for (const { id } of machine.tracks.all()) endTrack(machine, id, STUCK);
    for (const id of captionsJobsOf(machine.trackJobs)) dropCaptions(machine, id, STUCK.code);
  }
  if (timer === "work" && failures >= MAX_WORK_FAILURES && machine.isProcessing) failAsset(machine, STUCK);
}
