/**
 * Uploads one part of known length while its bytes arrive, without buffering the whole part.
 *
 * @param produce writes exactly `byteCount` bytes; it may reuse a piece's memory once `write` has resolved
 * @returns R2's ETag of the part
 */
export async function uploadPartStreamed(
  upload: R2MultipartUpload,
  partNumber: number,
  byteCount: number,
  produce: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<string> {
  // R2 accepts only streams of known length.
  const pipe = new FixedLengthStream(byteCount);
  const writer = pipe.writable.getWriter();
  const uploading = upload.uploadPart(partNumber, pipe.readable);
  // A failed upload may leave its stream unread, and a writer that waits for the reader alone would never resolve.
  const failed = new Promise<never>((_, reject) => void uploading.catch(reject));
  failed.catch(() => undefined);
  try {
    await produce((piece) => Promise.race([writer.write(piece), failed]));
    await Promise.race([writer.close(), failed]);
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    await uploading.catch(() => undefined);
    throw error;
  }
  return (await uploading).etag;
}
