import type { Env } from "../../platform/env.ts";
import { sourceKey } from "../../platform/storage/keys.ts";
import { findPieces, streamPieces } from "./stored-pieces.ts";

/** A source that is in R2: the copy of a URL's file, or the pieces of an upload. */
export interface StoredSource {
  size: number;
  /** With quotes. */
  etag: string;
  /** Null when the source has been deleted meanwhile. */
  open(offset: number, length: number): Promise<ReadableStream<Uint8Array> | null>;
}

/** @returns null when the source is not in R2, or not yet */
export async function openStoredSource(env: Pick<Env, "MEDIA">, assetId: string): Promise<StoredSource | null> {
  return (await openStoredFile(env, sourceKey(assetId))) ?? (await openPieces(env, assetId));
}

/** A single object. @returns null when there is none */
export async function openStoredFile(env: Pick<Env, "MEDIA">, key: string): Promise<StoredSource | null> {
  const head = await env.MEDIA.head(key);
  if (head === null) return null;
  return {
    size: head.size,
    etag: head.httpEtag,
    async open(offset, length) {
      const object = await env.MEDIA.get(key, { range: { offset, length } });
      return object?.body ?? null;
    },
  };
}

async function openPieces(env: Pick<Env, "MEDIA">, assetId: string): Promise<StoredSource | null> {
  const pieces = await findPieces(env, assetId);
  if (pieces === null) return null;
  const open = async (offset: number, length: number) => streamPieces(env, assetId, pieces, { offset, length });
  return { size: pieces.size, etag: `"${assetId}"`, open }; // an asset has one upload
}
