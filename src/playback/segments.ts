import { renditionKey } from "../platform/storage/keys.ts";
import { cutSegment } from "../media/mp4/cut-segment.ts";
import { isSoundRendition } from "../media/clips/shared-rendition.ts";
import { initVersionNamed } from "../live/index.ts";
import { findSourceUrl } from "../library/assets/index.ts";
import { findStored } from "../library/clips/index.ts";
import {
  assetSource,
  NotArrived,
  openAwaitedSource,
  openStoredIndex,
  type StoredIndex,
} from "../library/sources/index.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { readConditions, type Wanted } from "../platform/http/conditions.ts";
import { CORS } from "./headers.ts";
import type { SegmentFile } from "./paths.ts";
import { TtlCache } from "../platform/ttl-cache.ts";

/** One init or media segment of an asset. */
export interface SegmentAddress {
  assetId: string;
  rendition: string;
  file: SegmentFile;
}

export const fileName = (file: SegmentFile): string => (typeof file === "number" ? `${file}.m4s` : `${file}.mp4`);

/** @throws {Problem} playback_not_found; range_not_satisfiable is answered with the size */
export async function answerSegment(request: Request, env: Env, address: SegmentAddress): Promise<Response> {
  const stored = await findStored(env, address);
  if (stored === null) throw noSuchSegment();
  return stored.rendition.startsWith("source-")
    ? await cutFromSource(request, env, stored)
    : await readFromStore(request, env, stored);
}

/** A whole segment as it is stored, for encryption. */
export interface ClearSegment {
  body: ReadableStream<Uint8Array>;
  headers: Headers;
  /** Null = the segment does not say which init segment it needs. */
  initFile: "init" | `init-${number}` | null;
}

/** @throws {Problem} playback_not_found, unavailable */
export async function readClearSegment(env: Env, address: SegmentAddress): Promise<ClearSegment> {
  const stored = await findStored(env, address);
  if (stored === null) throw noSuchSegment();
  const { assetId, rendition, file } = stored;
  if (rendition.startsWith("source-")) {
    const { body, headers } = await cutFromSource(new Request("https://playback-origin/"), env, stored);
    if (body === null) throw noSuchSegment();
    return { body, headers, initFile: stored.initFile ?? "init" };
  }
  const object = await env.MEDIA.get(renditionKey(assetId, rendition, fileName(file)));
  if (object === null) throw noSuchSegment();
  const headers = segmentHeaders(rendition, object.httpEtag, object.size, { status: 200, from: 0, to: object.size });
  const version = initVersionNamed(object.customMetadata);
  return { body: object.body, headers, initFile: stored.initFile ?? (version === null ? null : `init-${version}`) };
}

const noSuchSegment = () => new Problem("playback_not_found", "no such segment");

async function readFromStore(
  request: Request,
  env: Env,
  { assetId, rendition, file }: SegmentAddress,
): Promise<Response> {
  const key = renditionKey(assetId, rendition, fileName(file));
  const plain = request.method === "GET" && !request.headers.has("range") && !request.headers.has("if-none-match");
  const object = plain ? await env.MEDIA.get(key) : await env.MEDIA.head(key);
  if (object === null) throw noSuchSegment();
  const wanted = readConditions(request, object.httpEtag, object.size);
  const headers = segmentHeaders(rendition, object.httpEtag, object.size, wanted);
  if (isWithBody(object)) return new Response(object.body, { headers });
  if (!("from" in wanted) || request.method === "HEAD") return new Response(null, { status: wanted.status, headers });

  const part = await env.MEDIA.get(key, { range: { offset: wanted.from, length: wanted.to - wanted.from } });
  if (part === null) throw noSuchSegment();
  return new Response(part.body, { status: wanted.status, headers });
}

const isWithBody = (object: R2Object): object is R2ObjectBody => "body" in object;

const INDEX_KEPT_MS = 30_000;
const indexes = new TtlCache<StoredIndex>(32);

async function cutFromSource(
  request: Request,
  env: Env,
  { assetId, rendition, file }: SegmentAddress,
): Promise<Response> {
  if (file !== "init" && typeof file !== "number") throw noSuchSegment();
  const key = `${assetId} ${rendition}`;
  let index = indexes.get(key, Date.now()) ?? null;
  if (index === null) {
    index = await openStoredIndex(env.MEDIA, assetId, rendition);
    if (index === null) throw noSuchSegment();
    indexes.set(key, index, Date.now() + INDEX_KEPT_MS);
  }
  const etag = `"${index.etag}-${file}"`;
  let wanted: Wanted = { status: 304 };
  const cut = await orNotArrived(
    cutSegment(
      index.reader,
      assetSource(env, assetId, () => findSourceUrl(env.DB, assetId), openAwaitedSource),
      file,
      (bytes) => {
        wanted = readConditions(request, etag, bytes);
        return "from" in wanted && request.method !== "HEAD" ? [wanted.from, wanted.to] : null;
      },
      index.open,
    ),
  );
  if (cut === null) throw noSuchSegment();
  const decided = wanted as Wanted;
  const headers = segmentHeaders(rendition, etag, cut.bytes, decided);
  if (!("from" in decided) || request.method === "HEAD") return new Response(null, { status: decided.status, headers });
  const body =
    cut.body instanceof Uint8Array ? cut.body : cut.body.pipeThrough(new FixedLengthStream(decided.to - decided.from));
  return new Response(body, { status: decided.status, headers });
}

/** @throws {Problem} unavailable for bytes of an upload that have not come in time; playlists do not list such segments */
async function orNotArrived<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NotArrived)) throw error;
    throw new Problem("unavailable", "this segment is still being uploaded", { cause: error });
  }
}

/** A segment's URL always names the same bytes. */
function segmentHeaders(rendition: string, etag: string, bytes: number, wanted: Wanted): Headers {
  const headers = new Headers({
    ...CORS,
    "content-type": isSoundRendition(rendition) ? "audio/mp4" : "video/mp4",
    "accept-ranges": "bytes",
    "cache-control": wanted.status === 416 ? "no-store" : "public, max-age=31536000, immutable",
    etag,
  });
  if (wanted.status === 416) headers.set("content-range", `bytes */${bytes}`);
  if (wanted.status === 206) headers.set("content-range", `bytes ${wanted.from}-${wanted.to - 1}/${bytes}`);
  if ("from" in wanted) headers.set("content-length", String(wanted.to - wanted.from));
  return headers;
}
