import type { AssetStatus } from "../assets/asset-calls.ts";
import type { AssetComponents } from "./core/components.ts";
import { leaseMs } from "../encoding/dispatcher.ts";
import { encoderClient } from "../encoding/encoder-client.ts";
import { abortCopy } from "../sources/copy-to-r2.ts";
import { unfinishedCopy } from "./tracks/sound-files.ts";

/**
 * Deletes the asset: cancels its jobs and purges every byte, including those of writes that are still running.
 *
 * @param delayMs until the first purge
 */
export function removeAsset(machine: AssetComponents, assetId: string, delayMs = 0): { status: AssetStatus } {
  const { documents, state, timers, outbox } = machine;
  machine.copying.abort();
  state.move("remove", () => {
    documents.put("name", assetId);
    outbox.clear();
    timers.cancel("work", "tracks");
  });
  documents.put("purgePass", documents.get("purgePass") ?? 1);
  timers.schedule("purge", machine.clock() + delayMs);
  return { status: state.status };
}

const PURGE_RETRY_MS = 60_000;

/** Sends the current pass to the purge queue, again every minute until the consumer reports it done. */
export async function purge(machine: AssetComponents): Promise<void> {
  if (machine.state.status !== "deleted") return;
  await cleanUp(machine);
  machine.timers.schedule("purge", machine.clock() + PURGE_RETRY_MS);
  await machine.env.PURGES.send({ assetId: machine.id, pass: machine.documents.get("purgePass") ?? 1 });
}

/** The queue's consumer has emptied the asset's prefix. A second pass follows when no late write can be running any more. */
export function confirmPurge(machine: AssetComponents, pass: number): { done: boolean } {
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

/** Cancels running jobs and aborts an unfinished copy. */
export async function cleanUp({ env, id, documents, jobs, state, trackJobs, tracks }: AssetComponents): Promise<void> {
  const copy = documents.get("copy");
  const encoder = encoderClient(env);
  const isDeleted = state.status === "deleted";
  const running = [...jobs.leased(), ...(isDeleted ? trackJobs.leased() : [])];
  for (const track of isDeleted ? tracks.all() : []) {
    const copying = unfinishedCopy(track);
    if (copying !== undefined) await abortCopy(env, id, copying.copy, copying.key);
  }
  await Promise.all(running.map((job) => encoder.cancel(job.id, job.attempt)));
  if (copy !== undefined && !copy.done) await abortCopy(env, id, copy);
}
