import type { R2Bucket } from "@cloudflare/workers-types";
import { SourceError } from "./source-errors.ts";

/** Random access to the bytes of one source, wherever they lie. */
export interface RangeReader {
  /** Length of the whole file in bytes; null when it is not known (yet). */
  readonly size: number | null;
  /**
   * Reads `length` bytes from `offset`. Answers fewer (perhaps none) only where the file ends.
   *
   * @throws {SourceError} when the source cannot be read, or is not what it was at the first request
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * The same into memory of the caller's, for what is too large to be held twice. Answers how many bytes there were.
   *
   * @throws {SourceError} as `read`
   */
  readInto?(offset: number, target: Uint8Array): Promise<number>;
}

/**
 * Reads an object of R2. Every read is one ranged GET; callers that want fewer, larger reads ask for them.
 *
 * Answers null when there is no such object.
 */
export async function r2RangeReader(bucket: R2Bucket, key: string): Promise<RangeReader | null> {
  const head = await bucket.head(key);
  if (head === null) return null;
  const { size, etag } = head;
  return {
    size,
    async read(offset, length) {
      const wanted = Math.min(length, size - offset);
      if (wanted <= 0) return new Uint8Array(0);
      const object = await bucket.get(key, { range: { offset, length: wanted }, onlyIf: { etagMatches: etag } });
      if (object === null || !("body" in object)) throw new SourceError("source_length_mismatch");
      return new Uint8Array(await object.arrayBuffer());
    },
  };
}
