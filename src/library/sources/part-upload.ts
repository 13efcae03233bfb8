/**
 * Uploads one part of known length while its bytes arrive, so that it is never in memory as a whole.
 *
 * @param produce hands over exactly `byteCount` bytes; a piece's memory may be used again once `write` is done
 * @returns R2's ETag of the part
 */
export async function uploadPartStreamed(
  upload: R2MultipartUpload,
  partNumber: number,
  byteCount: number,
  produce: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<string> {
  // R2 takes a stream only when it knows its length beforehand.
  const pipe = new FixedLengthStream(byteCount);
  const writer = pipe.writable.getWriter();
  const uploading = upload.uploadPart(partNumber, pipe.readable);
  // An upload that fails may leave its stream unread; a writer that only waited for the reader would wait for ever.
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
