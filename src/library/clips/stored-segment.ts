import {
  type FoundSegment,
  isClipRendition,
  locate,
  type SharedRendition,
  type StoredSegment,
} from "../../media/clips/shared-rendition.ts";
import type { Env } from "../../platform/env.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";

const sharedKey = (assetId: string, rendition: string) => renditionKey(assetId, rendition, "shared.json");

const KEPT_MS = 30_000;
/** Lists never change. */
const lists = new TtlCache<SharedRendition>(256);

type Store = Pick<Env, "MEDIA">;

/** Repeatable: the same clip gives the same list. */
export async function storeShared(
  { MEDIA }: Store,
  { assetId, rendition }: { assetId: string; rendition: string },
  shared: SharedRendition,
): Promise<void> {
  await MEDIA.put(sharedKey(assetId, rendition), JSON.stringify(shared));
}

/**
 * Where a file of a rendition is stored. Those of clips are mostly stored once, with the media that the clip was cut from.
 *
 * @returns `initFile` null = the segment does not say which init segment it needs; null when the clip has no such file
 */
export async function findStored(
  { MEDIA }: Store,
  address: StoredSegment,
): Promise<(StoredSegment & { initFile: FoundSegment["initFile"] | null }) | null> {
  const { assetId, rendition } = address;
  if (!isClipRendition(rendition)) return { ...address, initFile: null };
  const key = sharedKey(assetId, rendition);
  let shared = lists.get(key, Date.now());
  if (shared === undefined) {
    const object = await MEDIA.get(key);
    if (object === null) return null;
    shared = await object.json<SharedRendition>();
    lists.set(key, shared, Date.now() + KEPT_MS);
  }
  return locate(shared, address);
}
