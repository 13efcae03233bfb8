import { passthroughKey, sourceKey } from "../../platform/storage/keys.ts";
import type { Env } from "../../platform/env.ts";
import { openHttpSource } from "./http-range-reader.ts";
import type { RangeReader } from "../../media/mp4/range-reader.ts";
import { type OpenIndex, openIndex } from "../../media/mp4/index-file.ts";

const KIB = 1024;

/** An index in R2, opened; an index is written once, so its first bytes are kept for a while. */
export interface StoredIndex {
  reader: RangeReader;
  open: OpenIndex;
  /** Of the index object, without quotes; with a file's name it identifies the bytes of that file. */
  etag: string;
}

/** Null when the rendition has no index. */
export async function openStoredIndex(
  bucket: R2Bucket,
  assetId: string,
  rendition: string,
): Promise<StoredIndex | null> {
  const key = passthroughKey(assetId, rendition);
  let etag = "";
  const reader: RangeReader = {
    size: null,
    async read(offset, length) {
      const object = await bucket.get(key, { range: { offset, length } });
      if (object === null) return new Uint8Array(0);
      etag = object.etag;
      return new Uint8Array(await object.arrayBuffer());
    },
  };
  const open = await openIndex(reader);
  return open === null ? null : { reader, open, etag };
}

/**
 * The source of an asset: the copy in R2, which costs no extra request to look for; until it is there, the place where
 * it came from. A copy appears whole or not at all.
 *
 * @param sourceUrl asked for only when there is no copy yet; null = the asset is gone
 * @throws {SourceError} from reads, when neither can be read
 */
export function assetSource(env: Env, assetId: string, sourceUrl: () => Promise<string | null>): RangeReader {
  let remote: Promise<RangeReader> | null = null;
  const openRemote = async () => {
    const url = await sourceUrl();
    if (url === null) throw new Error("the asset is gone");
    return openHttpSource(env, url, { firstBytes: 64 * KIB, blockBytes: 64 * KIB });
  };
  return {
    size: null,
    async read(offset, length) {
      if (remote === null) {
        const object = await env.MEDIA.get(sourceKey(assetId), { range: { offset, length } });
        if (object !== null) return new Uint8Array(await object.arrayBuffer());
        remote ??= openRemote();
      }
      return (await remote).read(offset, length);
    },
  };
}
