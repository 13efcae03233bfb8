import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { MAX_CAPTION_BYTES } from "../../../media/captions/cue.ts";
import { readCaptions } from "../../../media/captions/read-captions.ts";
import { openDatabase } from "../../../platform/database.ts";
import { dataAnswer, envelopeAnswer, security, success } from "../../../platform/http/answers.ts";
import { problemResponses } from "../../../platform/http/openapi.ts";
import { orNotFound, Problem } from "../../../platform/http/problems.ts";
import { readBytes } from "../../../platform/http/read-bytes.ts";
import { uuidParam } from "../../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../../platform/http/router.ts";
import { Warnings } from "../../../platform/http/warnings.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import { toTimestamp } from "../../../platform/timestamp.ts";
import { etagOf, readText, replaceText, requireTextTrack, type TrackKey } from "./replace-text.ts";
import { skippedWarnings } from "./skipped-warnings.ts";
import { type CaptionVersion, currentOf, versionsOf } from "../store/versions.ts";

const tags = ["Tracks"];
const path = "/v1/on-demand/{mediaId}/tracks/{trackId}/vtt" as const;
const params = z.object({ mediaId: uuidParam("mediaId"), trackId: uuidParam("trackId") });
const IfMatch = z.object({
  "if-match": z.string().optional().openapi({
    description:
      "The `ETag` of the text that was read: 412 when another one has taken its place. Without it, any is replaced",
    example: '"1"',
  }),
});

const CaptionVersionRecord = z
  .object({
    version: z.int().openapi({ description: "Counts from 1" }),
    cueCount: z.int(),
    restoredFrom: z.int().optional().openapi({ description: "The version whose text it has again" }),
    createdAt: z.string(),
    isCurrent: z.boolean(),
  })
  .openapi("CaptionVersion");

const failures = [
  "track_not_available",
  "unauthorized",
  "forbidden",
  "media_not_found",
  "track_not_found",
  "validation_failed",
] as const;
const vtt = { "text/vtt": { schema: z.string().openapi({ example: "WEBVTT\n\n00:00.000 --> 00:02.000\nHello.\n" }) } };

const readRoute = createRoute({
  operationId: "get-subtitle-text",
  summary: "The text of a subtitle track",
  description: "As WebVTT. `ETag` is for `If-Match` of a replacement.",
  method: "get",
  path,
  tags,
  security,
  request: { params },
  responses: { 200: { description: "The whole text", content: vtt }, ...problemResponses(...failures) },
});
const replaceRoute = createRoute({
  operationId: "replace-subtitle-text",
  summary: "Replace the text of a subtitle track",
  description:
    "The body is WebVTT of at most 10 MiB. Captions that no player can show are left out, and named in `warnings`. Players that load the media afterwards show it. The text before it stays among the versions, of which the last 20 are kept.",
  method: "put",
  path,
  tags,
  security,
  request: { params, headers: IfMatch, body: { required: true, content: vtt } },
  responses: {
    200: envelopeAnswer(
      {
        data: CaptionVersionRecord,
        warnings: Warnings.openapi({ description: "Captions of the text that were left out; absent = none" }),
      },
      "The version that the text is now",
    ),
    ...problemResponses(...failures, "precondition_failed", "body_too_large"),
  },
});
const listRoute = createRoute({
  operationId: "list-subtitle-versions",
  summary: "The versions of a subtitle track's text",
  description: "The newest first. The last 20 are kept, as far as they have 20 MiB in all.",
  method: "get",
  path: `${path}/versions`,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(z.array(CaptionVersionRecord), "The versions"), ...problemResponses(...failures) },
});
const restoreRoute = createRoute({
  operationId: "restore-subtitle-version",
  summary: "Restore a version of a subtitle track's text",
  description: "Its text becomes a new version.",
  method: "post",
  path: `${path}/versions/{version}/restore`,
  tags,
  security,
  request: {
    headers: IfMatch,
    params: params.extend({
      version: z
        .string()
        .regex(/^[1-9]\d{0,8}$/)
        .openapi({ param: { name: "version", in: "path" }, description: "Counts from 1", example: "1" }),
    }),
  },
  responses: {
    200: dataAnswer(CaptionVersionRecord, "The version that the text is now"),
    ...problemResponses(...failures),
  },
});

const keyOf = (c: Context<AppContext>, { mediaId, trackId }: { mediaId: string; trackId: string }): TrackKey => ({
  workspaceId: c.var.caller.workspaceId,
  assetId: mediaId.toLowerCase(),
  trackId: trackId.toLowerCase(),
});

const toRecord = (
  { version, cueCount, restoredFrom, createdAt }: Omit<CaptionVersion, "bytes" | "trackId" | "folder">,
  current: number,
): z.output<typeof CaptionVersionRecord> => ({
  version,
  cueCount,
  ...(restoredFrom === null ? {} : { restoredFrom }),
  createdAt: toTimestamp(createdAt),
  isCurrent: version === current,
});

/**
 * The texts of subtitle tracks. Outside the bound of JSON bodies.
 *
 * @param forgetPlayback drops this isolate's cached playback of an ID
 */
export const subtitleTextRoutes = ({ forgetPlayback }: { forgetPlayback: (playbackId: string) => void }) => {
  const replace = async (c: Context<AppContext>, key: TrackKey, text: Parameters<typeof replaceText>[2]) => {
    const { row, playbackIds, committed } = await replaceText(c.env, key, text, new Date());
    for (const playbackId of playbackIds) forgetPlayback(playbackId);
    c.executionCtx.waitUntil(committed.wake());
    c.header("etag", etagOf(row.version));
    return success(toRecord(row, row.version));
  };
  return newRouter()
    .openapi(readRoute, async (c) => {
      const key = keyOf(c, c.req.valid("param"));
      const { track } = await requireTextTrack(c.env, key);
      const { version, folder } = currentOf(track);
      const stored = await c.env.MEDIA.get(captionsKey(key.assetId, key.trackId, "whole.vtt", folder));
      const headers = { "content-type": "text/vtt; charset=utf-8", etag: etagOf(version) };
      return c.body(await orNotFound(stored, "track_not_found").text(), 200, headers);
    })
    .openapi(replaceRoute, async (c) => {
      const key = keyOf(c, c.req.valid("param"));
      await requireTextTrack(c.env, key);
      const captions = readText(await readBytes(c.req.raw, MAX_CAPTION_BYTES));
      const text = { captions, ifMatch: c.req.header("if-match") ?? null, restored: null };
      const warnings = skippedWarnings(captions);
      return c.json({ ...(await replace(c, key, text)), ...(warnings.length === 0 ? {} : { warnings }) }, 200);
    })
    .openapi(listRoute, async (c) => {
      const { track, facts } = await requireTextTrack(c.env, keyOf(c, c.req.valid("param")));
      const { version } = currentOf(track);
      const rows = await versionsOf(openDatabase(c.env.DB), track.id);
      const only = { version, cueCount: facts.cueCount, restoredFrom: null, createdAt: track.createdAt };
      return c.json(success((rows.length === 0 ? [only] : rows).map((row) => toRecord(row, version))), 200);
    })
    .openapi(restoreRoute, async (c) => {
      const { version: asked, ...given } = c.req.valid("param");
      const key = keyOf(c, given);
      const { track } = await requireTextTrack(c.env, key);
      const rows = await versionsOf(openDatabase(c.env.DB), track.id);
      const row = rows.find(({ version }) => version === Number(asked));
      const isOnly = rows.length === 0 && Number(asked) === 1;
      if (row === undefined && !isOnly) throw new Problem("track_not_found", `the text has no version ${asked}`);
      const stored = await c.env.MEDIA.get(captionsKey(key.assetId, key.trackId, "whole.vtt", row?.folder ?? ""));
      const bytes = new Uint8Array(await orNotFound(stored, "track_not_found").arrayBuffer());
      const captions = readCaptions(bytes, "und");
      const restored = { version: Number(asked), folder: row?.folder ?? "" };
      const ifMatch = c.req.header("if-match") ?? null;
      return c.json(await replace(c, key, { captions, ifMatch, restored }), 200);
    });
};
