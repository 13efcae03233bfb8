const MEBIBYTE = 1024 * 1024;
const SMALLEST_BYTES = MEBIBYTE;
/** Far below the 100 MB that Cloudflare takes in one request, and large enough for 10,000 chunks of the largest file. */
const LARGEST_BYTES = 16 * MEBIBYTE;
/** A chunk for each percent of progress. */
const CHUNKS = 100;

/** The size of the chunks of a file, a multiple of 256 KiB. @param fileBytes null = not known yet */
export function chunkBytesFor(fileBytes: number | null): number {
  if (fileBytes === null) return LARGEST_BYTES;
  const step = MEBIBYTE / 4;
  const wanted = Math.ceil(fileBytes / CHUNKS / step) * step;
  return Math.min(Math.max(wanted, SMALLEST_BYTES), LARGEST_BYTES);
}
