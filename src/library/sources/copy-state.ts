import { SourceError } from "./source-errors.ts";
import type { AnsweredFile } from "./source-status.ts";

/** Progress of a copy, as plain JSON. The caller stores it between steps; the last stored state is enough to resume. */
export interface CopyState {
  /** How often the copy restarted because the file had changed. */
  restarts: number;
  upload: CopyUpload | null;
  done: boolean;
}

export interface CopyUpload {
  /** R2's id of the multipart upload. */
  uploadId: string;
  /** Written to the object's metadata, so that a finished copy is recognized after a crash. */
  copyId: string;
  /** Null: the server does not support ranges, so the file is streamed from its start in one step. */
  ranged: RangedPlan | null;
}

export interface RangedPlan {
  /** The file's properties when the copy began; its size is known. */
  file: AnsweredFile & { size: number };
  /** Length of every part but the last. */
  partBytes: number;
  /** Entry n is R2's ETag of part number n + 1; null = not copied yet. */
  etags: (string | null)[];
}

export const FRESH_COPY: CopyState = { restarts: 0, upload: null, done: false };

const MIB = 1024 * 1024;

/** Files up to this size are stored by a single PUT. */
export const SMALL_SOURCE_BYTES = 8 * MIB;

/** R2 allows 10,000 parts. A tenth of that keeps the state below 300 KB. */
const MAX_RANGED_PARTS = 1_000;
/** R2's limit for one multipart upload, whose parts have at least 5 MiB. */
const MAX_PARTS = 10_000;
/** A part of unknown length is buffered in memory. */
const MAX_BUFFERED_PART_BYTES = 32 * MIB;

/** Part size for a file of known length: 8 MiB up to 7.8 GiB, whole MiB beyond. */
export function partBytesFor(totalBytes: number): number {
  return Math.max(SMALL_SOURCE_BYTES, Math.ceil(totalBytes / MAX_RANGED_PARTS / MIB) * MIB);
}

/** Part size for a file of unknown length: as small as 10,000 parts allow, because each part is buffered in memory. */
export function bufferedPartBytesFor(maxBytes: number): number {
  const needed = Math.ceil(maxBytes / MAX_PARTS / MIB) * MIB;
  return Math.min(MAX_BUFFERED_PART_BYTES, Math.max(SMALL_SOURCE_BYTES, needed));
}

/** @throws {SourceError} source_too_large when R2 allows no part of this number */
export function checkPartNumber(partNumber: number): void {
  if (partNumber > MAX_PARTS) throw new SourceError("source_too_large");
}

/** First and last byte of a part, both included. */
export function partRange(plan: RangedPlan, partNumber: number): { first: number; last: number } {
  const first = (partNumber - 1) * plan.partBytes;
  return { first, last: Math.min(first + plan.partBytes, plan.file.size) - 1 };
}

export function missingParts(plan: RangedPlan): number[] {
  return plan.etags.flatMap((etag, index) => (etag === null ? [index + 1] : []));
}

export function copiedBytes(plan: RangedPlan): number {
  return plan.etags.reduce((bytes, etag, index) => {
    if (etag === null) return bytes;
    const { first, last } = partRange(plan, index + 1);
    return bytes + last - first + 1;
  }, 0);
}
