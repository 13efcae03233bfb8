import { html } from "hono/html";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { resolvePlaybackId } from "./resolve.ts";
import type { Lasting } from "./single-flight.ts";

type Html = ReturnType<typeof html>;

/** The page loads everything from its own origin. Players create media from blobs in a worker. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src blob:",
  "style-src 'self' 'unsafe-inline'", // custom elements add inline styles
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cache-control": "no-cache",
};

/** The hosted page of one playback id. It may be embedded anywhere. */
export async function answerPage(request: Request, env: Env, ctx: Lasting, playbackId: string): Promise<Response> {
  const found = await pageOf(env, ctx, playbackId);
  const text = String(await (found ?? notFoundPage()));
  return new Response(request.method === "HEAD" ? null : text, {
    status: found === null ? 404 : 200,
    headers: HEADERS,
  });
}

/** The page of an asset or a stream; null for an unknown playback ID. */
async function pageOf(env: Env, ctx: Lasting, playbackId: string): Promise<Html | null> {
  const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (resolved === null) return null;
  if (resolved.kind === "stream") return playerPage(playbackId, "Live", "live");
  return playerPage(playbackId, resolved.playable.title ?? "Video", "on-demand");
}

/** A script or style of the page, from the built assets. */
export async function answerPageFile(request: Request, env: Env, file: string): Promise<Response> {
  const found = await env.ASSETS.fetch(
    new Request(new URL(`/player/${file}`, request.url), { method: request.method, headers: request.headers }),
  );
  if (found.status === 404) throw new Problem("not_found", "no such file");
  const answer = new Response(found.body, found);
  answer.headers.set("cache-control", "public, max-age=300, must-revalidate");
  answer.headers.set("x-content-type-options", "nosniff");
  return answer;
}

const playerPage = (playbackId: string, title: string, kind: "on-demand" | "live") =>
  page(
    title,
    html`<main id="player" data-src="/${playbackId}.m3u8" data-title="${title}" data-kind="${kind}"></main>
      <script type="module" src="/player/player.js"></script>`,
  );

const notFoundPage = () =>
  page(
    "Not found",
    html`<main class="notice">
      <h1>This video does not exist</h1>
      <p>It may have been removed.</p>
    </main>`,
  );

const page = (title: string, body: Html) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <meta name="color-scheme" content="dark light" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="stylesheet" href="/player/player.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`;
