import { toHex } from "../../protocol/hex.ts";
import { mpd } from "../media/dash/mpd.ts";
import { iframePlaylist } from "../media/hls/iframe-playlist.ts";
import { mediaPlaylist } from "../media/hls/media-playlist.ts";
import { multivariantPlaylist } from "../media/hls/multivariant.ts";
import { mediaListOf, presentationOf } from "../media/manifest/model.ts";
import { canonicalSelection, readSelection, select } from "../media/manifest/selection.ts";
import { Problem } from "../platform/http/problems.ts";
import { wantsGzip } from "./accepts-gzip.ts";
import { readConditions } from "../platform/http/conditions.ts";
import { CORS } from "./headers.ts";
import type { Target } from "./paths.ts";
import type { Playable } from "./resolve.ts";

/** Smaller bodies do not shrink under gzip. */
const LEAST_GZIP_BYTES = 200;

type ManifestTarget = Extract<Target, { kind: "multivariant" | "mpd" | "media-playlist" | "iframe-playlist" }>;

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

/** @throws {Problem} playback_not_found, not_ready, validation_failed */
export async function answerManifest(
  request: Request,
  playable: Playable,
  target: ManifestTarget,
  query: URLSearchParams,
): Promise<Response> {
  const selection = target.kind === "multivariant" || target.kind === "mpd" ? readSelection(query) : null;
  const key = `${target.playbackId} ${target.kind} ${"rendition" in target ? target.rendition : canonicalSelection(selection!)}`;
  const known = rendered.get(playable) ?? new Map<string, Rendered>();
  rendered.set(playable, known);
  const manifest = known.get(key) ?? (await render(target, playable, query));
  known.set(key, manifest);
  return answer(request, manifest);
}

async function render(target: ManifestTarget, playable: Playable, query: URLSearchParams): Promise<Rendered> {
  const text = manifestText(target, playable, query);
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

function manifestText(target: ManifestTarget, playable: Playable, query: URLSearchParams): string {
  const presentation = presentationOf(playable);
  if (presentation === null) throw nothingToPlay(playable);
  if (target.kind === "multivariant")
    return multivariantPlaylist(select(presentation, readSelection(query)), target.playbackId);
  if (target.kind === "mpd") return mpd(select(presentation, readSelection(query)), target.playbackId, new Date());
  const list = mediaListOf(playable, target.rendition);
  const text = list && (target.kind === "media-playlist" ? mediaPlaylist(list) : iframePlaylist(list));
  if (!text) throw new Problem("playback_not_found", "no such rendition");
  return text;
}

/**
 * An errored asset never becomes playable: "not found" makes players stop. While an asset is processed, "not ready" makes them retry.
 */
function nothingToPlay({ status, percent, errorCode }: Playable): Problem {
  return status === "errored"
    ? new Problem("playback_not_found", `processing failed: ${errorCode ?? "unknown"}`)
    : new Problem("not_ready", `${Math.floor(percent)} % processed`);
}

const gzip = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();

function answer(request: Request, { plain, gzip: packed }: Rendered): Response {
  const usesGzip = packed !== null && wantsGzip(request);
  const { body, etag, headers } = usesGzip ? packed : plain;
  // Manifests are not served by ranges; only the precondition applies.
  if (readConditions(request, etag, 0).status === 304) {
    const answer = new Response(null, { status: 304, headers });
    for (const name of ["content-encoding", "content-length"]) answer.headers.delete(name);
    return answer;
  }
  return new Response(request.method === "HEAD" ? null : body, {
    headers,
    encodeBody: usesGzip ? "manual" : "automatic",
  });
}
