import type { Env } from "../../../platform/env.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { statedLength } from "../../../platform/http/read-bytes.ts";
import { uploadMachine, type UploadProgress } from "../upload-calls.ts";
import { parseSentRange } from "./content-range.ts";
import { known, receiveChunk, refusalProblem } from "./receive-chunk.ts";
import { BodyReader } from "./store-piece.ts";

/**
 * Carries out a PUT of the resumable protocol: a chunk, the whole file, or a question about what is stored.
 *
 * @throws {Problem}
 */
export async function receivePut(env: Env, uploadId: string, request: Request): Promise<UploadProgress> {
  const range = parseSentRange(request.headers.get("content-range"));
  if (range === null) throw new Problem("bad_chunk", "Content-Range must be `bytes {first}-{last}/{total}`");
  const length = lengthOf(request);
  if (range.kind === "probe") {
    if (length > 0) throw new Problem("bad_chunk", "a question about the stored bytes has no body");
    return await statedProgress(env, uploadId, range.totalBytes);
  }
  const { first, last, totalBytes } =
    range.kind === "chunk" ? range : { first: 0, last: length - 1, totalBytes: length };
  if (length === 0 || request.body === null) throw new Problem("bad_chunk", "the body is empty");
  if (length !== last - first + 1)
    throw new Problem("bad_chunk", `the body has ${length} bytes, Content-Range announces ${last - first + 1}`);
  return await receiveChunk(env, uploadId, { offset: first, length, totalBytes }, new BodyReader(request.body));
}

/** What is stored. A client that asks may state the file's length already. @throws {Problem} upload_over, bad_chunk, body_too_large */
export async function statedProgress(env: Env, uploadId: string, totalBytes: number | null): Promise<UploadProgress> {
  if (totalBytes === null) return requireOpen(known(await uploadMachine(env, uploadId).readProgress(uploadId)));
  const verdict = known(await uploadMachine(env, uploadId).announceTotal(uploadId, totalBytes));
  if (verdict.kind === "refuse") throw refusalProblem(verdict.reason, verdict.progress);
  if (verdict.kind === "write") throw new Error("an announcement has no piece");
  return verdict.progress;
}

/** @throws {Problem} upload_over */
export function requireOpen(progress: UploadProgress): UploadProgress {
  if (progress.status === "cancelled" || progress.status === "expired") throw refusalProblem("over", progress);
  return progress;
}

/** @throws {Problem} length_required */
export function lengthOf(request: Request): number {
  const length = request.body === null ? (statedLength(request.headers) ?? 0) : statedLength(request.headers);
  if (length === null) throw new Problem("length_required", "send the body with a Content-Length");
  return length;
}
