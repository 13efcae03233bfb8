import { callMachine } from "../../platform/machine/calls.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { JobGrant } from "./job-token.ts";

/** One object of a rendition, as an attempt of a job writes it. */
export interface JobObject {
  jobId: string;
  attempt: number;
  rendition: string;
  /** `init.mp4` or `{number}.m4s`. */
  file: string;
}

/**
 * What an asset machine says of a write; `replace` = what an earlier attempt left under the key has been deleted; `unavailable` = it could
 * not be.
 */
export type WriteVerdict = "write" | "over";
export type ReplaceVerdict = "replace" | "announced" | "over" | "unavailable";

/**
 * Stores an object for the attempt that is handed out, under a key that holds none yet. Every write is conditional, so a request that was
 * let in and then stalls cannot overwrite what has been announced meanwhile (decision 0022).
 *
 * The same bytes again are a success. Other bytes than those that are there: when viewers may have fetched them they stay, and this write
 * is a conflict; when nobody can have, they go, and the caller sends its own again.
 *
 * @throws {Problem} job_gone; object_announced; unavailable = send it again
 */
export async function storeObject(
  env: Env,
  { assetId, jobId, attempt }: JobGrant,
  { rendition, file }: Pick<JobObject, "rendition" | "file">,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const object: JobObject = { jobId, attempt, rendition, file };
  const { verdict } = await callMachine<{ verdict: WriteVerdict }>(env.ASSET_MACHINE, assetId, "write", object);
  if (verdict === "over") throw gone();
  const key = renditionKey(assetId, rendition, file);
  const stored = await env.MEDIA.head(key);
  if (stored === null) {
    if ((await env.MEDIA.put(key, body, { onlyIf: { etagDoesNotMatch: "*" } })) !== null) return;
    throw new Problem("unavailable", "the object is being written by another request");
  }
  if ((await md5Of(body)) === stored.etag) return;
  const answer = await callMachine<{ verdict: ReplaceVerdict }>(env.ASSET_MACHINE, assetId, "replace", object);
  if (answer.verdict === "over") throw gone();
  if (answer.verdict === "announced")
    throw new Problem("object_announced", "this object has been announced with other bytes, and stays");
  if (answer.verdict === "unavailable")
    throw new Problem("unavailable", "what an earlier attempt wrote could not be deleted; send the object again");
  throw new Problem("unavailable", "what an earlier attempt wrote is deleted; send the object again");
}

const gone = () => new Problem("job_gone", "this attempt of the job is over");

/** The ETag of an R2 object that was put in one piece. */
async function md5Of(body: ReadableStream<Uint8Array>): Promise<string> {
  const digest = new crypto.DigestStream("MD5");
  await body.pipeTo(digest);
  return Array.from(new Uint8Array(await digest.digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
