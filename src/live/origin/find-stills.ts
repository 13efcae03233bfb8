import { type Still, stillPicture, stillSound } from "../../media/live/freeze/still.ts";
import type { LiveRendition } from "../../media/live/timeline.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { renditionsToFreeze } from "./frozen-media.ts";
import type { OriginIndex } from "./index/origin-index.ts";

/** Reads the last picture, or silence, of every rendition that can be frozen. @returns stills by the rendition's name */
export async function findStills(bucket: R2Bucket, index: OriginIndex): Promise<Map<string, Still>> {
  const stills = new Map<string, Still>();
  for (const rendition of renditionsToFreeze(index)) {
    const still = await findStill(bucket, index, rendition);
    if (still !== null) stills.set(rendition.name, still);
  }
  return stills;
}

async function findStill(
  bucket: R2Bucket,
  { session, store }: OriginIndex,
  { name, segments }: LiveRendition,
): Promise<Still | null> {
  const { initVersion } = segments.at(-1)!;
  const key = (file: string) => renditionKey(session!.sessionId, name, file);
  const init = await read(bucket, key(`init-${initVersion}.mp4`));
  if (init === null) return null;
  if (session!.renditions.find((one) => one.name === name)?.kind === "audio") return stillSound(init);
  // The newest segment may end before its first key frame is complete.
  for (const { msn, isGap } of segments.slice(-2).toReversed()) {
    const bytes = isGap ? null : (store.bytes(name, msn, null) ?? (await read(bucket, key(`${msn}.m4s`))));
    const still = bytes && stillPicture(init, bytes);
    if (still) return still;
  }
  return null;
}

async function read(bucket: R2Bucket, key: string): Promise<Uint8Array | null> {
  const object = await bucket.get(key);
  return object && new Uint8Array(await object.arrayBuffer());
}
