import { html } from "hono/html";
import type { Env } from "../platform/env.ts";
import { type Html, htmlResponse, notice, page } from "../platform/http/html-page.ts";
import { Problem } from "../platform/http/problems.ts";
import { type PageState, pageStateOf } from "./page-state.ts";
import { reasonOf } from "./reasons.ts";
import { type Resolved, resolvePlaybackId } from "./resolve.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { presentationOf } from "../media/manifest/model.ts";
import { readSelection } from "../media/manifest/selection.ts";
import { withQuery } from "../media/manifest/query.ts";
import type { Viewer } from "./viewer.ts";
import { requireWholeMedia } from "./whole-media.ts";

/** The page loads everything from its own origin. Players create media from blobs in a worker, and hls.js creates captions from an empty `data:` file. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src blob:",
  "style-src 'self' 'unsafe-inline'", // custom elements add inline styles
  "img-src 'self' data: blob:",
  "media-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Interval at which a browser without scripts requests a page that waits. */
const RELOAD_SECONDS = 5;

/** 202: the address is right, and the media will be there. The page of a stream has its address before, during and after a broadcast. */
const STATUS: Record<PageState["kind"], number> = {
  playable: 200,
  awaited: 202,
  processing: 202,
  "source unavailable": 202,
  recording: 202,
  "off air": 200,
  "broadcast over": 200,
  failed: 404, // as its manifest
  missing: 404,
};

/**
 * The hosted page of one playback ID. It may be embedded where the playback ID may play.
 *
 * @throws {Problem} those of `Viewer.admit`; moderation_hold of a recording; validation_failed of the selection of renditions
 */
export async function answerPage(viewer: Viewer, env: Env, ctx: Lasting, playbackId: string): Promise<Response> {
  const { request, url } = viewer;
  readSelection(url.searchParams); // passed on to the manifest, whose refusal the player could not explain
  const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (resolved?.kind === "asset") requireWholeMedia(url.searchParams);
  const permission = resolved && (await viewer.admit(resolved.rules));
  const state = await pageStateOf(env, resolved, permission, Date.now());
  const document = page({
    title: titleOf(resolved, state),
    head: html`<meta name="robots" content="noindex" />${isWaiting(state) ? reload : ""}`,
    body: canPlay(state) ? playerBody(viewer, playbackId, resolved, state) : html`<main>${noticeOf(state)}</main>`,
    style: "/player/player.css",
  });
  return await htmlResponse(request, document, STATUS[state.kind], {
    "content-security-policy": POLICY,
    "cache-control": "no-cache",
    ...(STATUS[state.kind] === 202 ? { "retry-after": "1" } : {}),
  });
}

/**
 * A script or style of the pages, from the built assets. Browsers revalidate it by its ETag at each use, as they do the page: after a
 * deployment, or an edit under `npm run dev`, a new page never runs with an old script.
 */
export async function answerPageFile(request: Request, env: Env, file: string): Promise<Response> {
  const found = await env.ASSETS.fetch(
    new Request(new URL(`/player/${file}`, request.url), { method: request.method, headers: request.headers }),
  );
  if (found.status === 404) throw new Problem("not_found", "no such file");
  const answer = new Response(found.body, found);
  answer.headers.set("cache-control", "no-cache");
  answer.headers.set("x-content-type-options", "nosniff");
  return answer;
}

const canPlay = ({ kind }: PageState) => kind !== "failed" && kind !== "missing";
const isWaiting = (state: PageState) => canPlay(state) && state.kind !== "playable";
const reload = html`<noscript><meta http-equiv="refresh" content="${RELOAD_SECONDS}" /></noscript>`;

function titleOf(resolved: Resolved | null, { kind }: PageState): string {
  if (resolved === null) return "This video does not exist";
  if (resolved.kind === "asset") return resolved.playable.title ?? "Video";
  const hasEnded = resolved.playable.session?.endedAtMs != null;
  return hasEnded && (kind === "playable" || kind === "recording") ? "Recording" : "Live";
}

/** The player's script takes the place of the notice when the media can be played, and requests the notice again while it changes. */
function playerBody({ url }: Viewer, playbackId: string, resolved: Resolved | null, state: PageState): Html {
  const kind = resolved?.kind === "stream" ? "live" : "on-demand";
  const manifest = `/${playbackId}.m3u8`;
  const keySystems = resolved?.rules.keySystems ?? null;
  const facts = html`data-src="${manifest}" data-title="${titleOf(resolved, state)}" data-kind="${kind}"`;
  const beacons = html`data-beacons="/beacons/${resolved?.rules.workspaceId ?? ""}"`;
  const encrypted = keySystems === null ? "" : html`data-key-systems="${keySystems.join(" ")}"`;
  const images = html`data-images="${imagesOf(resolved, state)}"`;
  const recordingAtEnd = kind === "live" ? "true" : null;
  const hasChapters = resolved?.kind === "asset" && resolved.playable.chapters.length > 0;
  const chapters = hasChapters ? html`data-chapters="/${playbackId}/chapters.vtt"` : "";
  const isPlain = state.kind === "playable" && keySystems === null;
  const token = url.searchParams.get("token");
  return html`<main id="player" ${facts} ${beacons} ${images} ${chapters} ${encrypted}>
      ${isPlain ? withoutScripts(withQuery(manifest, { recordingAtEnd, token })) : noticeOf(state)}
    </main>
    <script type="module" src="/player/player.js"></script>`;
}

/** The pictures that there are while the page is loaded: "poster", and "previews" of a ready media. */
function imagesOf(resolved: Resolved | null, { kind }: PageState): string {
  if (resolved === null || kind !== "playable") return "";
  if (resolved.kind === "stream") {
    const { session } = resolved.playable;
    const hasPicture = session?.renditions.some((rendition) => rendition.kind === "video") ?? false;
    return session?.endedAtMs === null && hasPicture ? "poster" : "";
  }
  const hasPicture = (presentationOf(resolved.playable)?.videoSets.length ?? 0) > 0;
  if (!hasPicture) return "";
  return resolved.playable.status === "ready" ? "poster previews" : "poster";
}

/** Some browsers play HLS by themselves. */
const withoutScripts = (manifest: string) =>
  html`<noscript><video class="plain" src="${manifest}" controls playsinline></video></noscript>`;

function noticeOf(state: PageState): Html | "" {
  switch (state.kind) {
    case "playable":
      return "";
    case "missing":
      return notice("This video does not exist", "It may have been removed.");
    case "failed":
      return notice("This video cannot be played", reasonOf(state.code), code(state.code));
    case "awaited":
      return notice("This video has not been uploaded yet", STARTS);
    case "processing":
      return notice("This video is being prepared", STARTS, progress(state.percent));
    case "source unavailable":
      return notice(
        "This video is waiting for its file",
        `${reasonOf(state.code)} Sluice will try again.`,
        code(state.code),
      );
    case "recording":
      return notice("This broadcast has ended", "Its recording starts here as soon as it can be played.");
    case "broadcast over":
      return notice("This broadcast has ended", "The next one starts here by itself.");
    case "off air":
      return notice("This stream is not on air", "It starts here as soon as the broadcast begins.");
  }
}

const STARTS = "It starts here as soon as it can be played.";
const code = (text: string) => html`<p class="code"><code>${text}</code></p>`;

/** Without a value, the bar shows activity rather than an amount. */
const progress = (percent: number) =>
  percent > 0
    ? html`<progress aria-label="Processing" max="100" value="${percent}"></progress>`
    : html`<progress aria-label="Processing" max="100"></progress>`;
