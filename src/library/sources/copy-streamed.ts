import { bufferedPartBytesFor, checkPartNumber, partBytesFor } from "./copy-state.ts";
import { uploadPartStreamed } from "./part-upload.ts";
import type { SourceAnswer } from "./safe-fetch.ts";
import { SourceError } from "./source-errors.ts";

export interface StreamedCopy {
  upload: R2MultipartUpload;
  answer: SourceAnswer;
  maxBytes: number;
  /** Called with the bytes copied so far; throws to stop the copy. */
  onBytes: (copiedBytes: number) => void;
}

/**
 * Copies a whole file from one response, part by part.
 *
 * @param totalBytes as announced; parts are then streamed. Null: each part is buffered first, because R2 needs its length in advance
 * @throws {SourceError} source_length_mismatch, source_too_large, source_timed_out, source_interrupted
 */
export async function copyWhole(copy: StreamedCopy, totalBytes: number | null): Promise<R2UploadedPart[]> {
  return totalBytes === null ? copyBuffered(copy) : copyAnnounced(copy, totalBytes);
}

async function copyAnnounced(copy: StreamedCopy, totalBytes: number): Promise<R2UploadedPart[]> {
  const partBytes = partBytesFor(totalBytes);
  const parts: R2UploadedPart[] = [];
  for (let start = 0; start < totalBytes; start += partBytes) {
    const end = Math.min(start + partBytes, totalBytes);
    const partNumber = parts.length + 1;
    const etag = await uploadPartStreamed(copy.upload, partNumber, end - start, async (write) => {
      let at = start;
      while (at < end) {
        const piece = await copy.answer.body.read(end - at);
        if (piece === null) throw new SourceError("source_length_mismatch");
        at += piece.byteLength;
        copy.onBytes(at);
        await write(piece);
      }
    });
    parts.push({ partNumber, etag });
  }
  if ((await copy.answer.body.read(1)) !== null) throw new SourceError("source_length_mismatch");
  return parts;
}

async function copyBuffered(copy: StreamedCopy): Promise<R2UploadedPart[]> {
  const buffer = new Uint8Array(bufferedPartBytesFor(copy.maxBytes));
  const parts: R2UploadedPart[] = [];
  let copied = 0;
  let length = buffer.byteLength;
  while (length === buffer.byteLength) {
    length = await copy.answer.body.readInto(buffer, (filled) => {
      if (copied + filled > copy.maxBytes) throw new SourceError("source_too_large");
      copy.onBytes(copied + filled);
    });
    if (length === 0) break;
    copied += length;
    const partNumber = parts.length + 1;
    checkPartNumber(partNumber);
    const { etag } = await copy.upload.uploadPart(partNumber, buffer.subarray(0, length));
    parts.push({ partNumber, etag });
  }
  if (copied === 0) throw new SourceError("source_empty");
  return parts;
}
