import { CAPTIONS_FILE, MAX_CAPTIONS_FILE_BYTES } from "../../../protocol/captions.ts";
import { toHex } from "../../../protocol/hex.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { isCaptionsJob, requestOfJob } from "./job-spec.ts";
import { type JobObject, machineOfJob } from "./job-calls.ts";
import type { JobGrant } from "./job-token.ts";

/** A segment of a 2160p rung at its rate cap is 13 MB. */
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

/** Models take no larger images. */
const MAX_SHEET_BYTES = 4 << 20;

/** Whether a job may write an object: a segment in its range, or an init segment, of one of its renditions; captions of its streams; pieces of speech; sheets of pictures. */
function isInScope(
  { jobId, renditions, segments: [first, end] }: JobGrant,
  { rendition, file }: Pick<JobObject, "rendition" | "file">,
): boolean {
  if (isCaptionsJob(jobId)) return renditions.includes(rendition) && file === CAPTIONS_FILE;
  const piece = /^(0|[1-9]\d{0,6})\.flac$/.exec(file)?.[1];
  if (jobId.endsWith(".speech")) return renditions.includes(rendition) && piece !== undefined && Number(piece) < end;
  if (requestOfJob(jobId) !== null) {
    const sheet = /^(0|[1-9]\d{0,6})\.jpg$/.exec(file)?.[1];
    return renditions.includes(rendition) && sheet !== undefined && Number(sheet) < end;
  }
  const number = /^(0|[1-9]\d{0,6})\.m4s$/.exec(file)?.[1];
  const isInit = file === "init.mp4" || file === "init-0.mp4";
  const isOwnFile = isInit || (number !== undefined && Number(number) >= first && Number(number) < end);
  return renditions.includes(rendition) && isOwnFile;
}

/**
 * Stores an object of the job's current attempt. Every write is conditional on an empty key, so an accepted request that stalls cannot
 * overwrite an object that has been announced meanwhile (decision 0022).
 *
 * Writing the same bytes again succeeds. With different bytes, an announced object stays and the write is a conflict; an unannounced one is
 * deleted, and the caller has to repeat the write.
 *
 * @param body `byteCount`: as announced; NaN when it was not
 * @throws {Problem} forbidden, body_too_large, job_gone, object_announced; unavailable = repeat the write
 */
export async function storeObject(
  env: Env,
  grant: JobGrant,
  { rendition, file }: Pick<JobObject, "rendition" | "file">,
  { byteCount, stream: body }: { byteCount: number; stream: ReadableStream<Uint8Array> | null },
): Promise<void> {
  if (!isInScope(grant, { rendition, file })) throw new Problem("forbidden", "this job does not write that object");
  if (isCaptionsJob(grant.jobId) && byteCount > MAX_CAPTIONS_FILE_BYTES)
    throw new Problem("body_too_large", "captions need a Content-Length of at most 10 MiB");
  if (requestOfJob(grant.jobId) !== null && !(byteCount <= MAX_SHEET_BYTES))
    throw new Problem("body_too_large", "a sheet of pictures needs a Content-Length of at most 4 MiB");
  if (!(byteCount > 0 && byteCount <= MAX_OBJECT_BYTES) || body === null)
    throw new Problem("body_too_large", "an object needs a Content-Length of 1 byte to 64 MiB");
  const { assetId, jobId, attempt } = grant;
  const object: JobObject = { jobId, attempt, rendition, file };
  const machine = machineOfJob(env, grant);
  if ((await machine.judgeWrite(object)) === "over") throw gone();
  const key = renditionKey(assetId, rendition, file);
  const stored = await env.MEDIA.head(key);
  if (stored === null) {
    if ((await env.MEDIA.put(key, body, { onlyIf: { etagDoesNotMatch: "*" } })) !== null) return;
    throw new Problem("unavailable", "the object is being written by another request");
  }
  if ((await md5Of(body)) === stored.etag) return;
  const verdict = await machine.replaceObject(object);
  if (verdict === "over") throw gone();
  if (verdict === "announced")
    throw new Problem("object_announced", "this object has been announced with different bytes");
  if (verdict === "unavailable")
    throw new Problem("unavailable", "the object of an earlier attempt could not be deleted; send the object again");
  throw new Problem("unavailable", "the object of an earlier attempt has been deleted; send the object again");
}

const gone = () => new Problem("job_gone", "this attempt of the job is over");

/** The ETag of an R2 object stored by a single PUT. */
async function md5Of(body: ReadableStream<Uint8Array>): Promise<string> {
  const digest = new crypto.DigestStream("MD5");
  await body.pipeTo(digest);
  return toHex(new Uint8Array(await digest.digest));
}
