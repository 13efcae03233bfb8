import { passthroughKey, sourceKey } from "../../platform/storage/keys.ts";
import type { Env } from "../../platform/env.ts";
import { openHttpSource } from "./http-range-reader.ts";
import { findPieces } from "./stored-pieces.ts";
import { isUploaded } from "./upload-address.ts";
import { openUploadedSource } from "./uploaded-source.ts";
import type { RangeReader } from "../../media/mp4/range-reader.ts";
import { type OpenIndex, openIndex } from "../../media/mp4/index-file.ts";

const KIB = 1024;

/** An opened index in R2. Indexes are immutable, so the first bytes may be cached. */
export interface StoredIndex {
  reader: RangeReader;
  open: OpenIndex;
  /** ETag of the index object, without quotes. Together with a file name it identifies that file's bytes. */
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
 * Reads the source of an asset: from its copy in R2, or from its URL until the copy exists. A copy appears atomically, and the first read
 * itself shows whether there is one.
 *
 * @param sourceUrl called only when there is no copy yet; resolves to null when the asset is gone
 * @param openUploaded for a direct upload that may be still coming in
 * @throws {SourceError} from reads, when neither is readable
 */
export function assetSource(
  env: Env,
  assetId: string,
  sourceUrl: () => Promise<string | null>,
  openUploaded: (env: Env, assetId: string) => Promise<RangeReader> = openUploadedSource,
): RangeReader {
  let remote: Promise<RangeReader> | null = null;
  const openRemote = async () => {
    if ((await findPieces(env, assetId)) !== null) return openUploaded(env, assetId);
    const url = await sourceUrl();
    if (url === null) throw new Error("the asset is gone");
    if (isUploaded(url)) return openUploaded(env, assetId);
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
