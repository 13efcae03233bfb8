import type { AssetStatus } from "../assets/asset-calls.ts";
import type { AssetComponents } from "./core/components.ts";
import { leaseMs } from "../encoding/dispatcher.ts";
import { encoderClient } from "../encoding/encoder-client.ts";
import { abortCopy } from "../sources/copy-to-r2.ts";
import { copiedFiles } from "./source-files.ts";
import { unfinishedCopy } from "./tracks/sound-files.ts";

/**
 * Deletes the asset: cancels its jobs and purges every byte, including those of writes that are still running.
 *
 * @param delayMs until the first purge
 */
export function removeAsset(machine: AssetComponents, assetId: string, delayMs = 0): { status: AssetStatus } {
  const { documents, state, timers, outbox } = machine;
  machine.copying.abort();
  if (state.status !== "deleted") documents.delete("purgePass"); // the passes of a failure do not count
  state.move("remove", () => {
    documents.put("name", assetId);
    outbox.clear();
    timers.cancel("work", "tracks", "insights");
  });
  documents.put("purgePass", documents.get("purgePass") ?? 1);
  timers.schedule("purge", machine.clock() + delayMs);
  return { status: state.status };
}

const PURGE_RETRY_MS = 60_000;

/** Sends the current pass to the purge queue, again every minute until the consumer reports it done. */
export async function purge(machine: AssetComponents): Promise<void> {
  if (!holdsNothing(machine)) return;
  await cleanUp(machine);
  machine.timers.schedule("purge", machine.clock() + PURGE_RETRY_MS);
  await machine.env.PURGES.send({ assetId: machine.id, pass: machine.documents.get("purgePass") ?? 1 });
}

/** The queue's consumer has emptied the asset's prefix. A second pass follows when no late write can be running any more. */
export function confirmPurge(machine: AssetComponents, pass: number): { done: boolean; isFailed: boolean } {
  const { documents, timers } = machine;
  const isFailed = machine.state.status === "errored";
  if (isFailed && documents.get("purgePass") === undefined) return { done: pass === 2, isFailed }; // the caller's write has failed
  if (!holdsNothing(machine) || documents.get("purgePass") !== pass) return { done: false, isFailed };
  if (pass === 1) {
    documents.put("purgePass", 2);
    timers.schedule("purge", machine.clock() + leaseMs(machine.env));
    return { done: false, isFailed };
  }
  if (isFailed) {
    machine.commit(() => {
      timers.cancel("purge");
      documents.delete("purgePass", "copy", "fileCopies", "copyFacts", "copiedBytes");
    });
    return { done: true, isFailed };
  }
  machine.commit(() => {
    timers.cancel("purge");
    machine.jobs.clear();
    machine.trackJobs.clear();
    machine.tracks.clear();
    machine.heard.clear();
    machine.insights.clear();
    machine.sentRenditions.clear();
    documents.delete("asset", "plan", "clip", "edge", "copy", "fileCopies", "copiedBytes");
  });
  return { done: true, isFailed };
}

/** Whether nothing of the asset may stay in storage: it was deleted, or has failed for good. */
const holdsNothing = ({ state }: AssetComponents): boolean => state.status === "deleted" || state.status === "errored";

/** Begins the deletion of what a failed asset has stored. Its source cannot be used, and nothing else of it plays. */
export async function releaseFailed(machine: AssetComponents): Promise<void> {
  await cleanUp(machine);
  if (machine.state.status !== "errored") return;
  machine.documents.put("purgePass", 1);
  machine.timers.schedule("purge", machine.clock());
}

/** Cancels running jobs and aborts an unfinished copy. */
async function cleanUp(machine: AssetComponents): Promise<void> {
  const { env, id, documents, jobs, state, trackJobs, tracks } = machine;
  const encoder = encoderClient(env);
  const isDeleted = state.status === "deleted";
  const running = [...jobs.leased(), ...(isDeleted ? trackJobs.leased() : [])];
  for (const track of isDeleted ? tracks.all() : []) {
    const copying = unfinishedCopy(track);
    if (copying !== undefined) await abortCopy(env, id, copying.copy, copying.key);
  }
  await Promise.all(running.map((job) => encoder.cancel(job.id, job.attempt)));
  if (documents.get("asset") === undefined) return;
  for (const { copy, key } of copiedFiles(machine))
    if (copy !== undefined && !copy.done) await abortCopy(env, id, copy, key);
}
