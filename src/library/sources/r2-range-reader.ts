import type { R2Bucket } from "@cloudflare/workers-types";
import type { RangeReader } from "../../media/mp4/range-reader.ts";
import { SourceError } from "./source-errors.ts";

/**
 * Reads an object in R2. Every read is one ranged GET.
 *
 * @returns null when there is no such object
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
