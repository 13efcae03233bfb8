import { encoderClient } from "../encoding/encoder-client.ts";
import { abortCopy } from "../sources/copy-to-r2.ts";
import type { AssetParts } from "./parts.ts";

/** Cancels running jobs and aborts an unfinished copy. */
export async function cleanUp({ env, id, documents, jobs }: AssetParts): Promise<void> {
  const copy = documents.get("copy");
  const encoder = encoderClient(env);
  await Promise.all(jobs.leased().map((job) => encoder.cancel(job.id, job.attempt)));
  if (copy !== undefined && !copy.done) await abortCopy(env, id, copy);
}
