import { encryptorOf } from "../media/cenc/cbcs.ts";
import { protectInit } from "../media/cenc/protect-init.ts";
import { protectMedia } from "../media/cenc/protect-media.ts";
import { AvcSubsamples } from "../media/cenc/subsamples.ts";
import { findContent } from "../media/mp4/fragment-samples.ts";
import type { Env } from "../platform/env.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { findContentKey, keySystemsOf, protectionOf } from "../tenancy/drm/index.ts";

/** A larger segment is sent as it is encrypted, without its length. */
const MAX_BUFFERED_BYTES = 8 << 20;
const KNOWN_MS = 60_000;

const STBL = ["moov", "trak", "mdia", "minf", "stbl"].map((type) => ({ type }));
/** Fixed fields of `stsd`, and of a visual sample entry (ISO/IEC 14496-12 §12.1.3). */
const AVC_CONFIGURATION = [...STBL, { type: "stsd", skip: 8 }, { type: "avc1", skip: 78 }, { type: "avcC" }];

/** Codec configurations by the init segment that they come from; null = audio. */
const configurations = new TtlCache<{ avcC: Uint8Array | null }>(256);

/** A clear segment or part. */
export interface ClearMedia {
  body: ReadableStream<Uint8Array>;
  /** Null = unknown, and small: a part. Infinity = it is still growing, and sent part by part. */
  bytes: number | null;
  /** Names the init segment that it needs, for the cache. */
  initKey: string;
  readInit: () => Promise<Uint8Array>;
}

/** @throws {Problem} playback_not_found for an unknown key; unavailable @throws {UnprotectableInit} */
export async function encryptInit(
  env: Env,
  ctx: Lasting,
  keyId: string,
  clear: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await findContentKey(env, ctx, keyId);
  return protectInit(clear, protectionOf(key, keySystemsOf(key.source)));
}

/** @throws {Problem} playback_not_found for an unknown key; unavailable @throws {UnreadableFragment} */
export async function encryptMedia(
  env: Env,
  ctx: Lasting,
  keyId: string,
  { body, bytes, initKey, readInit }: ClearMedia,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const { contentKey } = await findContentKey(env, ctx, keyId);
  const { avcC } = await configurationOf(initKey, readInit);
  const track = { encrypt: await encryptorOf(contentKey), subsamples: avcC && new AvcSubsamples(avcC) };
  if (bytes !== null && bytes > MAX_BUFFERED_BYTES) return streamOf(protectMedia(body, track));
  // Read as a whole by the runtime, which is faster than piece by piece.
  const whole = new Uint8Array(await new Response(body).arrayBuffer());
  const pieces: Uint8Array[] = [];
  for await (const piece of protectMedia(streamOfOne(whole), track)) pieces.push(piece);
  return concatenated(pieces);
}

const streamOfOne = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });

function concatenated(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Reading ahead is left to the consumer, so that a slow viewer holds one fragment in memory. */
const streamOf = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await pieces.return(undefined)),
  });

async function configurationOf(initKey: string, readInit: () => Promise<Uint8Array>) {
  const known = configurations.get(initKey, Date.now());
  if (known !== undefined) return known;
  const avcC = findContent(await readInit(), AVC_CONFIGURATION)?.slice() ?? null;
  const found = { avcC };
  configurations.set(initKey, found, Date.now() + KNOWN_MS);
  return found;
}
