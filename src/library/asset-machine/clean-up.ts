import { encoderClient } from "../encoding/encoder-client.ts";
import { abortCopy } from "../sources/copy-to-r2.ts";
import type { AssetComponents } from "./components.ts";
import { unfinishedCopy } from "./sound-files.ts";

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
