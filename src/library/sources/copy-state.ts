import { SourceError } from "./source-errors.ts";
import type { AnsweredFile } from "./source-status.ts";

/** How far a copy is. Plain JSON: whoever drives the copy keeps it between steps, and the last kept one is enough to go on. */
export interface CopyState {
  /** How often the copy began again because the file was not what it had been. */
  restarts: number;
  upload: CopyUpload | null;
  done: boolean;
}

export interface CopyUpload {
  /** R2's id of the multipart upload. */
  uploadId: string;
  /** Written to the finished object's metadata, so that a finished copy is known again after a crash. */
  copyId: string;
  /** Null: the server does not answer ranges, so the file is streamed from its start in one step. */
  ranged: RangedPlan | null;
}

export interface RangedPlan {
  /** What the file was when the copy began; its size is known. */
  file: AnsweredFile & { size: number };
  /** All parts are this long but the last one. */
  partBytes: number;
  /** Position n is R2's ETag of part number n + 1; null = still to be copied. */
  etags: (string | null)[];
}

export const FRESH_COPY: CopyState = { restarts: 0, upload: null, done: false };

const MIB = 1024 * 1024;

/** Files up to this size are put in one piece. */
export const SMALL_SOURCE_BYTES = 8 * MIB;

/** R2 allows 10,000 parts; a tenth of them keeps the state below 300 KB, and the first step back after a failure small. */
const MAX_RANGED_PARTS = 1_000;
/** R2's limits for one upload: parts of 5 MiB and more, 10,000 of them. */
const MAX_PARTS = 10_000;
/** A part of unknown length has to be held in memory. */
const MAX_BUFFERED_PART_BYTES = 32 * MIB;

/** Part size for a file of known length: 8 MiB up to 7.8 GiB, whole MiB beyond. */
export function partBytesFor(totalBytes: number): number {
  return Math.max(SMALL_SOURCE_BYTES, Math.ceil(totalBytes / MAX_RANGED_PARTS / MIB) * MIB);
}

/** Part size where the length shows only at the end: as small as 10,000 parts allow, because each is held in memory. */
export function bufferedPartBytesFor(maxBytes: number): number {
  const needed = Math.ceil(maxBytes / MAX_PARTS / MIB) * MIB;
  return Math.min(MAX_BUFFERED_PART_BYTES, Math.max(SMALL_SOURCE_BYTES, needed));
}

/** @throws {SourceError} source_too_large when R2 cannot hold a part of this number */
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
