/** Which chunks an upload takes (media contract, resumable uploads). Pure. */
import type { Chunk, ChunkRefusal, UploadProgress } from "../uploads/upload-calls.ts";

/** Each stored piece is an object in R2 and an entry of the list that readers load. */
export const MAX_PIECES = 10_000;

export interface UploadBounds {
  maxBytes: number;
  /** Pieces that may still be stored. */
  piecesLeft: number;
}

export type ChunkJudgement = { take: { skip: number; length: number } } | { ignore: true } | { refuse: ChunkRefusal };

/**
 * A chunk is taken when it has the byte after the stored ones. A chunk before that is a repeat after a lost answer, a chunk after it leaves a
 * gap; both are ignored, and the answer tells the client where to continue. Bytes that are stored already are skipped.
 */
export function judgeChunk(
  { status, storedBytes, totalBytes: knownTotal }: UploadProgress,
  { offset, length, totalBytes }: Chunk,
  { maxBytes, piecesLeft }: UploadBounds,
): ChunkJudgement {
  if (status === "cancelled" || status === "expired") return { refuse: "over" };
  const refusal = refusalOfTotal({ status, storedBytes, totalBytes: knownTotal }, totalBytes, maxBytes);
  if (refusal !== null) return { refuse: refusal };
  const total = totalBytes ?? knownTotal;
  const end = offset + length;
  if (end > (total ?? maxBytes)) return { refuse: total === null ? "too_large" : "beyond_total" };
  if (offset > storedBytes || end <= storedBytes) return { ignore: true };
  const piecesNeeded = 1 + (total === null ? 0 : Math.ceil((total - end) / length));
  if (piecesNeeded > piecesLeft) return { refuse: "too_many_pieces" };
  return { take: { skip: storedBytes - offset, length: end - storedBytes } };
}

/** Before the first byte is stored, a client may state another length: its user has chosen another file. */
export function refusalOfTotal(
  { status, storedBytes, totalBytes: known }: UploadProgress,
  totalBytes: number | null,
  maxBytes: number,
): ChunkRefusal | null {
  if (status === "cancelled" || status === "expired") return "over";
  if (totalBytes === null) return null;
  if (totalBytes > maxBytes) return "too_large";
  const isFixed = status === "complete" || storedBytes > 0;
  if (isFixed && known !== null && known !== totalBytes) return "total_differs";
  return totalBytes < storedBytes ? "total_differs" : null;
}
