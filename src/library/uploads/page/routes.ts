import { Hono } from "hono";
import { html } from "hono/html";
import { type Database, openDatabase } from "../../../platform/database.ts";
import { type Html, htmlResponse, notice, page } from "../../../platform/http/html-page.ts";
import type { AppContext } from "../../../platform/http/router.ts";
import { findAsset } from "../../assets/repository.ts";
import { findUpload, type Upload } from "../repository.ts";
import { uploadMachine, type UploadProgress } from "../upload-calls.ts";
import { signedUploadUrl } from "../upload-url.ts";
import { uploadIdOf } from "../upload-page-url.ts";

/** The page sends the file to the upload's origin, and loads everything else from its own. No other page can embed it. */
const policyFor = (uploadOrigin: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src data:",
    `connect-src 'self' ${uploadOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The page of an upload, for somebody who was given its link. */
export const uploadPageRoutes = new Hono<AppContext>().get("/upload/:token", async (c) => {
  const uploadId = await uploadIdOf(c.env, c.req.param("token"), Date.now());
  const db = openDatabase(c.env.DB);
  const upload = uploadId === null ? null : await findUpload(db, null, uploadId);
  const progress = upload && (await uploadMachine(c.env, upload.id).readProgress(upload.id));
  const hasFailed = progress?.status === "complete" && (await hasFailedMedia(db, upload!.id));
  const body = upload && progress && bodyOf(upload, progress, hasFailed, signedUploadUrl(c.env, upload));
  const document = page({
    title: upload?.settings.title ?? "Upload",
    head: html`<meta name="robots" content="noindex" />`,
    body: html`<main>${body ?? notice("This link is not valid", "Ask for a new one.")}</main>`,
    style: "/player/upload.css",
  });
  return await htmlResponse(c.req.raw, document, body === null ? 404 : 200, {
    "content-security-policy": policyFor(upload === null ? "" : new URL(upload.publicUrl).origin),
    "referrer-policy": "no-referrer", // the address is a credential
  });
});

const hasFailedMedia = async (db: Database, mediaId: string): Promise<boolean> =>
  (await findAsset(db, null, mediaId))?.asset.status === "errored";

function bodyOf(
  upload: Upload,
  { status, storedBytes, totalBytes }: UploadProgress,
  hasFailed: boolean,
  url: string,
): Html {
  const player = `/player/${upload.playbackId}`;
  if (hasFailed)
    return notice(
      "This file cannot be played",
      "It is not a video or audio file, or it is damaged. Ask for a new link to send another one.",
    );
  if (status === "complete") return notice("The upload is complete", html`<a href="${player}">Watch the video</a>`);
  if (status !== "waiting")
    return notice("This upload is over", "It was cancelled, or it has expired. Ask for a new link.");
  return html`<section
      id="upload"
      class="notice"
      data-url="${url}"
      data-player="${player}"
      data-stored="${storedBytes}"
      data-total="${totalBytes ?? ""}"
    >
      <h1>${upload.settings.title ?? "Upload a video"}</h1>
      <label class="drop">
        <input type="file" accept="video/*,audio/*,.mkv,.mxf,.ts,.mts,.m2ts,.vob,.wtv" />
        <span class="choose">Drop a file here, or choose one</span>
      </label>
      <p class="state" role="status" aria-live="polite"></p>
      <div class="running" hidden>
        <progress aria-label="Uploaded" max="1" value="0"></progress>
        <p class="figures"></p>
        <button type="button" class="quiet pause">Pause</button>
      </div>
      <p class="watch" hidden><a href="${player}" target="_blank" rel="noopener">Watch the video</a></p>
      <noscript><p>This page needs JavaScript.</p></noscript>
    </section>
    <script type="module" src="/player/upload.js"></script>`;
}
