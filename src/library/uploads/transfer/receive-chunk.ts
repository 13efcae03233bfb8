import type { Env } from "../../../platform/env.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { errorFields, log, logWarning } from "../../../platform/log.ts";
import { pieceKey } from "../../../platform/storage/keys.ts";
import { uploadMachine, type Chunk, type ChunkRefusal, type UploadProgress } from "../upload-calls.ts";
import { requirePieceRepeated, requireRepeated } from "./compare-stored.ts";
import { type BodyReader, type PieceBytes, storePiece } from "./store-piece.ts";

/**
 * Stores a chunk whole or not at all, and answers with what the upload has stored afterwards. Bytes that are stored already have to be the
 * same. The machine records the piece before its first byte is written, and counts it only when all of its bytes are.
 *
 * @param bytes.verify throws when the stored bytes are not what the client has sent; then they do not count
 * @throws {Problem} upload_over, storage_limit_reached, bad_chunk (also for bytes that differ from the stored ones), body_too_large; unavailable when the chunk could
 *   not be stored
 */
export async function receiveChunk(
  env: Env,
  uploadId: string,
  chunk: Chunk,
  body: BodyReader,
  bytes: Pick<PieceBytes, "isWholeBody" | "onBytes"> & { verify?: () => void } = { isWholeBody: true },
): Promise<UploadProgress> {
  const verdict = known(await uploadMachine(env, uploadId).beginChunk(uploadId, chunk));
  if (verdict.kind === "refuse") throw refusalProblem(verdict.reason, verdict.progress);
  if (verdict.kind === "ignore") {
    const { storedBytes } = verdict.progress;
    const length = Math.max(0, Math.min(chunk.length, storedBytes - chunk.offset));
    await requireRepeated(env, uploadId, { offset: chunk.offset, length }, body);
    await body.drain();
    return verdict.progress;
  }
  const { piece, skip, length } = verdict;
  try {
    await requireRepeated(env, uploadId, { offset: chunk.offset, length: skip }, body);
    const isWholeBody = bytes.isWholeBody && skip === 0;
    await storePiece(env, uploadId, piece, body, { ...bytes, isWholeBody, length });
  } catch (error) {
    await abandon(env, uploadId, piece);
    if (error instanceof Problem) throw error;
    // A warning: workerd reports the same error for a client that has left, which is no fault of the deployment, as for a failing R2.
    logWarning("upload.chunk_failed", { uploadId, piece, offset: chunk.offset, ...errorFields(error) });
    throw new Problem("unavailable", "the chunk could not be stored; send it again", { cause: error, isLogged: true });
  }
  try {
    bytes.verify?.();
  } catch (error) {
    await abandon(env, uploadId, piece);
    throw error;
  }
  return await commitPiece(env, uploadId, piece, { offset: chunk.offset + skip, length });
}

/** If this call is lost, the machine's timer deletes the piece. */
const abandon = (env: Env, uploadId: string, piece: number): Promise<unknown> =>
  uploadMachine(env, uploadId)
    .abandonPiece(uploadId, piece)
    .catch(() => undefined);

async function commitPiece(
  env: Env,
  uploadId: string,
  piece: number,
  range: { offset: number; length: number },
): Promise<UploadProgress> {
  const { isKept, progress } = known(await uploadMachine(env, uploadId).commitPiece(uploadId, piece));
  log("upload.chunk_stored", { uploadId, piece, isKept, storedBytes: progress.storedBytes });
  if (isKept) return progress;
  const isOver = progress.status === "cancelled" || progress.status === "expired";
  try {
    if (!isOver) await requirePieceRepeated(env, uploadId, piece, range);
  } finally {
    await abandon(env, uploadId, piece);
    // The machine deletes the object too, but may have done so before it was written.
    await env.MEDIA.delete(pieceKey(uploadId, piece));
  }
  if (isOver) throw refusalProblem("over", progress);
  return progress;
}

/** @throws {Problem} upload_over for an upload that was never recorded */
export function known<T>(answer: T | null): T {
  if (answer === null) throw new Problem("upload_over", "no upload has this URL");
  return answer;
}

export function refusalProblem(reason: ChunkRefusal, { status, totalBytes }: UploadProgress): Problem {
  switch (reason) {
    case "over":
      return new Problem("upload_over", `the upload is ${status}; create a new one`);
    case "total_differs":
      return new Problem("bad_chunk", `the upload has begun with a file of ${totalBytes ?? 0} bytes`);
    case "beyond_total":
      return new Problem("bad_chunk", `the chunk ends after the file's ${totalBytes ?? 0} bytes`);
    case "too_large":
      return new Problem("body_too_large", "the file is larger than this deployment accepts");
    case "storage_full":
      return new Problem("storage_limit_reached", "the workspace has no room for this file");
    case "too_many_pieces":
      return new Problem("bad_chunk", "chunks of this size would be too many; send larger ones");
  }
}
