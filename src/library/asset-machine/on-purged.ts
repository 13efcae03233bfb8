import { leaseMs } from "../encoding/dispatcher.ts";
import type { AssetComponents } from "./components.ts";

/** The queue's consumer has emptied the asset's prefix. A second pass follows when no late write can be running any more. */
export function onPurged(machine: AssetComponents, pass: number): { done: boolean } {
  const { documents, timers } = machine;
  if (machine.state.status !== "deleted" || documents.get("purgePass") !== pass) return { done: false };
  if (pass === 1) {
    documents.put("purgePass", 2);
    timers.schedule("purge", machine.clock() + leaseMs(machine.env));
    return { done: false };
  }
  machine.commit(() => {
    timers.cancel("purge");
    machine.jobs.clear();
    machine.trackJobs.clear();
    machine.tracks.clear();
    machine.sentRenditions.clear();
    documents.delete("asset", "plan", "edge", "copy");
  });
  return { done: true };
}
