import { createHash } from "node:crypto";
import type { Env } from "../../../platform/env.ts";
import { Problem } from "../../../platform/http/problems.ts";
import type { Chunk, UploadProgress } from "../upload-calls.ts";
import { receiveChunk, refusalProblem } from "../transfer/receive-chunk.ts";
import { lengthOf, statedProgress } from "../transfer/receive-upload.ts";
import { BodyReader } from "../transfer/store-piece.ts";
import { TusRefusal } from "./answers.ts";
import { bytesOf, type Checksum, CHECKSUMS, parseChecksum } from "./headers.ts";

/** A body is stored in pieces of about this size, so that most of one that breaks off is kept. */
const PIECE_BYTES = 16 * 1024 * 1024;

/**
 * Stores the body of a PATCH: piece by piece, or with a checksum whole or not at all.
 *
 * @returns what is stored afterwards
 * @throws {TusRefusal | Problem}
 */
export async function receivePatch(env: Env, uploadId: string, request: Request): Promise<UploadProgress> {
  const { headers, body } = request;
  if (headers.get("content-type") !== "application/offset+octet-stream")
    throw new TusRefusal(415, "Content-Type must be application/offset+octet-stream");
  const offset = bytesOf(headers.get("upload-offset"));
  if (offset === null) throw new Problem("bad_chunk", "Upload-Offset must be a number of bytes");
  const checksum = checksumOf(headers.get("upload-checksum"));
  const length = lengthOf(request);
  const progress = await statedProgress(env, uploadId, bytesOf(headers.get("upload-length")));
  if (progress.storedBytes !== offset)
    throw new TusRefusal(409, `the upload continues at ${progress.storedBytes}, not at ${offset}`);
  // Before its first piece is stored: `receiveChunk` judges the pieces one by one.
  if (progress.totalBytes !== null && offset + length > progress.totalBytes)
    throw refusalProblem("beyond_total", progress);
  if (length === 0 || body === null) return progress;
  const chunk = { offset, length, totalBytes: progress.totalBytes };
  const reader = new BodyReader(body);
  return checksum === null
    ? await storeInPieces(env, uploadId, chunk, reader)
    : await storeChecked(env, uploadId, chunk, { reader, checksum });
}

/** All pieces have about the same size: a short last one would make the machine expect many more. */
async function storeInPieces(
  env: Env,
  uploadId: string,
  { offset, length, totalBytes }: Chunk,
  reader: BodyReader,
): Promise<UploadProgress> {
  const pieceBytes = Math.ceil(length / Math.ceil(length / PIECE_BYTES));
  for (let start = offset; ; start += pieceBytes) {
    const chunk = { offset: start, length: Math.min(pieceBytes, offset + length - start), totalBytes };
    const progress = await receiveChunk(env, uploadId, chunk, reader, { isWholeBody: chunk.length === length });
    if (progress.storedBytes !== chunk.offset + chunk.length)
      throw new TusRefusal(409, `another client has continued the upload at ${progress.storedBytes}`);
    if (progress.storedBytes === offset + length) return progress;
  }
}

async function storeChecked(
  env: Env,
  uploadId: string,
  chunk: Chunk,
  { reader, checksum }: { reader: BodyReader; checksum: Checksum },
): Promise<UploadProgress> {
  const hash = createHash(CHECKSUMS[checksum.algorithm].replace("-", "").toLowerCase());
  const verify = () => {
    if (hash.digest("base64") !== checksum.digest) throw new TusRefusal(460, "the checksum does not match the bytes");
  };
  return await receiveChunk(env, uploadId, chunk, reader, {
    isWholeBody: true,
    onBytes: (bytes) => void hash.update(bytes),
    verify,
  });
}

function checksumOf(header: string | null): Checksum | null {
  if (header === null) return null;
  const checksum = parseChecksum(header);
  if (checksum === null)
    throw new Problem("bad_chunk", `Upload-Checksum must be one of ${Object.keys(CHECKSUMS).join(", ")} and a digest`);
  return checksum;
}
