import { unknownPlayback } from "./unknown-playback.ts";
import { toHex } from "../../protocol/hex.ts";
import { chaptersData } from "../media/chapters/chapter-files.ts";
import { mpd } from "../media/dash/mpd.ts";
import { iframePlaylist } from "../media/hls/iframe-playlist.ts";
import { mediaPlaylist } from "../media/hls/media-playlist.ts";
import type { Protection } from "../media/cenc/content-key.ts";
import { multivariantPlaylist } from "../media/hls/multivariant.ts";
import { textPlaylist } from "../media/hls/text-playlist.ts";
import { mediaListOf, type Presentation, presentationOf } from "../media/manifest/model.ts";
import { imageStream } from "../media/images/sheet-json.ts";
import { planSheet } from "../media/images/sheet-plan.ts";
import { withQuery } from "../media/manifest/query.ts";
import { canonicalSelection, select, type Selection, selectionQuery } from "../media/manifest/selection.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { wantsGzip } from "./accepts-gzip.ts";
import { isUnchanged } from "../platform/http/conditions.ts";
import type { AccessRules } from "../tenancy/access/index.ts";
import { limitCaching } from "./caching.ts";
import { CORS } from "./headers.ts";
import type { Target } from "./paths.ts";
import type { Permission } from "./permission.ts";
import { assetLastsMs } from "./permit-times.ts";
import { protectionFor } from "./protection.ts";
import { selectionOf } from "./resolution-cap.ts";
import { isKnown, KNOWN_MS, type Playable, type Resolved } from "./resolve.ts";
import { unplayableState } from "./unplayable-state.ts";
import type { Viewer } from "./viewer.ts";

/** Query of a growing MPD with subtitles, to which players return: the complete MPD then also has subtitle segments. */
const TEXT = { name: "text", value: "segments" };

/** Smaller bodies do not shrink under gzip. */
const LEAST_GZIP_BYTES = 200;

type ManifestTarget = Extract<
  Target,
  { kind: "multivariant" | "mpd" | "media-playlist" | "iframe-playlist" | "text-playlist" }
>;

/** A manifest, rendered and compressed once for all requests within the look-up's lifetime. */
interface Rendered {
  plain: Encoded;
  gzip: Encoded | null;
}

/** One content coding of it. `Headers` are cheap to copy; a plain record would be validated again for each response. */
interface Encoded {
  body: string | Uint8Array<ArrayBuffer>;
  etag: string;
  headers: Headers;
}

/** Keyed by the looked-up asset: a new look-up renders again. */
const rendered = new WeakMap<Playable, Map<string, Rendered>>();

/** By the whole URL of the request, so that a repeated request is neither parsed, verified nor looked up again. */
const recent = new TtlCache<{ playbackId: string; playable: Playable; manifest: Rendered; permission: Permission }>(
  1024,
);

/** Answers a URL that this isolate has answered within the look-up's lifetime. @returns null for any other URL */
export function answerRecentManifest(request: Request): Response | null {
  const nowMs = Date.now();
  const found = recent.get(request.url, nowMs);
  if (found === undefined || !isKnown(found.playbackId, found.playable) || !found.permission.isValid(nowMs))
    return null;
  const repeated = answer(request, found.manifest);
  limitCaching(repeated, found.permission);
  return repeated;
}

/**
 * @param asset of the target's playback ID; its rules may differ from those of the permission, which then extends to it
 * @throws {Problem} playback_not_found, not_ready, validation_failed; as `protectionFor`
 */
export async function answerManifest(
  { request, url: { searchParams: query } }: Viewer,
  permission: Permission,
  env: Env,
  ctx: Lasting,
  { playable, rules }: Extract<Resolved, { kind: "asset" }>,
  target: ManifestTarget,
): Promise<Response> {
  const address = permission.addressOf(rules, assetLastsMs(playable));
  if (address === null) throw unknownPlayback();
  const hasTextSegments = target.kind === "mpd" && query.get(TEXT.name) === TEXT.value;
  const part = "rendition" in target ? target.rendition : "trackId" in target ? target.trackId : null;
  const selection = part === null ? selectionOf(query, rules) : null;
  const protection = await protectionFor(env, ctx, rules, playable.assetId);
  const key = `${address} ${target.kind} ${part ?? canonicalSelection(selection!)} ${hasTextSegments}`;
  const known = rendered.get(playable) ?? new Map<string, Rendered>();
  rendered.set(playable, known);
  const manifest =
    known.get(key) ?? (await render(target, playable, selection, { address, protection, hasTextSegments, rules }));
  known.set(key, manifest);
  const { playbackId } = target;
  if (permission.isOfUrl)
    recent.set(request.url, { playbackId, playable, manifest, permission }, Date.now() + KNOWN_MS);
  return answer(request, manifest);
}

/** How a manifest's content is reached and encrypted. */
interface Delivery {
  /** Stands for the playback ID in URLs. */
  address: string;
  protection: Protection | null;
  /** See `mpd`. */
  hasTextSegments: boolean;
  rules: AccessRules;
}

async function render(
  target: ManifestTarget,
  playable: Playable,
  selection: Selection | null,
  delivery: Delivery,
): Promise<Rendered> {
  const text = manifestText(target, playable, selection, delivery);
  const bytes = new Uint8Array(new TextEncoder().encode(text));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const tag = toHex(digest.subarray(0, 12));
  const headers = {
    ...CORS,
    "content-type": target.kind === "mpd" ? "application/dash+xml" : "application/vnd.apple.mpegurl",
    "cache-control": `public, max-age=${playable.status === "ready" ? 5 : 1}, must-revalidate`,
    vary: "Accept-Encoding",
  };
  const packed = bytes.length > LEAST_GZIP_BYTES ? new Uint8Array(await gzip(bytes)) : null;
  return {
    plain: encoded(text, bytes.length, { ...headers, etag: `"${tag}"` }),
    gzip: packed && encoded(packed, packed.length, { ...headers, etag: `"${tag}-gzip"`, "content-encoding": "gzip" }),
  };
}

const encoded = (
  body: Encoded["body"],
  byteLength: number,
  headers: Record<string, string> & { etag: string },
): Encoded => ({
  body,
  etag: headers.etag,
  headers: new Headers({ ...headers, "content-length": String(byteLength) }),
});

function manifestText(
  target: ManifestTarget,
  playable: Playable,
  selection: Selection | null,
  { address, protection, hasTextSegments, rules }: Delivery,
): string {
  const presentation = presentationOf(playable);
  if (presentation === null) throw nothingToPlay(playable);
  if (target.kind === "multivariant") {
    const shown = select(presentation, selection!);
    return (
      multivariantPlaylist(shown, address, "", protection !== null) +
      imageStream(sheetOf(playable, presentation, rules), address) +
      chaptersData(playable.chapters, address)
    );
  }
  if (target.kind === "mpd") {
    const shown = select(presentation, selection!);
    // A growing private MPD is reloaded by its permit: the token may expire before it is complete.
    const isPrivate = address !== target.playbackId;
    const text = presentation.text.length > 0 ? { [TEXT.name]: TEXT.value } : {};
    const hasOwn = isPrivate || presentation.text.length > 0;
    const location = hasOwn ? withQuery(`${address}.mpd`, { ...selectionQuery(selection!), ...text }) : null;
    const sheet = sheetOf(playable, presentation, rules);
    return mpd(shown, address, new Date(), { location, protection, hasTextSegments, sheet });
  }
  if (target.kind === "text-playlist") {
    const track = presentation.text.find(({ id }) => id === target.trackId);
    if (track === undefined) throw new Problem("playback_not_found", "no such subtitles");
    return textPlaylist(presentation, track);
  }
  const list = mediaListOf(playable, target.rendition);
  const isMedia = target.kind === "media-playlist";
  const text =
    list && (isMedia ? mediaPlaylist(list, 0, protection) : protection === null ? iframePlaylist(list) : null);
  if (!text) throw new Problem("playback_not_found", "no such rendition");
  return text;
}

/** The playback ID's sprite sheet, whatever rungs a request selects; null until the asset is ready, and without a picture. */
const sheetOf = ({ status }: Playable, presentation: Presentation, rules: AccessRules) =>
  status === "ready"
    ? planSheet(select(presentation, selectionOf(new URLSearchParams(), rules)).videoSets.flat())
    : null;

/**
 * An errored asset never becomes playable: "not found" makes players stop. While an asset is processed, "not ready" makes them retry.
 */
export function nothingToPlay(playable: Playable): Problem {
  const { hasFailed, reason, percent } = unplayableState(playable);
  if (hasFailed) return new Problem("playback_not_found", `processing failed: ${reason ?? "unknown"}`);
  const source = reason === null ? "" : `; the source cannot be fetched: ${reason}`;
  return new Problem("not_ready", `${percent} % processed${source}`);
}

const gzip = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();

function answer(request: Request, { plain, gzip: packed }: Rendered): Response {
  const usesGzip = packed !== null && wantsGzip(request);
  const { body, etag, headers } = usesGzip ? packed : plain;
  // Manifests are not served by ranges; only the precondition applies.
  if (isUnchanged(request, etag)) {
    const answer = new Response(null, { status: 304, headers });
    for (const name of ["content-encoding", "content-length"]) answer.headers.delete(name);
    return answer;
  }
  return new Response(request.method === "HEAD" ? null : body, {
    headers,
    encodeBody: usesGzip ? "manual" : "automatic",
  });
}
