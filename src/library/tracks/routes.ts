import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { dataAnswer, DONE, doneAnswer, security, success } from "../../platform/http/answers.ts";
import { answerOnce, type CreateContext, type Created, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { checkPublicUrl } from "../../platform/network/public-url.ts";
import { stopTrack } from "../assets/start-tracks.ts";
import { addTrack } from "./add-track.ts";
import { deleteTrack } from "./delete-track.ts";
import { generateSubtitles } from "./generate-subtitles.ts";
import { AddedTrackRecord, AddTrack, GenerateSubtitles, TranslateTrack, UpdateTrack } from "./schemas.ts";
import type { TrackRequest } from "./store/new-track.ts";
import { toTrackRecord } from "./to-track-record.ts";
import { translateTrack } from "./translate-track.ts";
import { type Missing, updateTrack } from "./update-track.ts";

const tags = ["Tracks"];
const path = "/v1/on-demand/{mediaId}/tracks";
const itemPath = `${path}/{trackId}` as const;
const mediaParams = z.object({ mediaId: uuidParam("mediaId") });
const params = mediaParams.extend({ trackId: uuidParam("trackId") });

/** Of every request that adds a track. */
const PROBLEMS_OF_ADDING = [
  "duplicate_language_name",
  "track_limit_reached",
  "idempotency_conflict",
  "unauthorized",
  "forbidden",
  "media_not_found",
  "validation_failed",
] as const;

const addRoute = createRoute({
  operationId: "Add-media-track",
  summary: "Add an audio or subtitle track",
  description:
    "The file is fetched, converted and offered to players that load the manifest afterwards; `video.media.track.ready` or `video.media.track.failed` follows. Subtitles take seconds.",
  method: "post",
  path,
  tags,
  security,
  request: {
    params: mediaParams,
    headers: IdempotencyHeaders,
    body: { required: true, content: json(AddTrack) },
  },
  responses: {
    201: dataAnswer(AddedTrackRecord, "The track; its status is `preparing`"),
    ...problemResponses(...PROBLEMS_OF_ADDING),
  },
});
const updateRoute = createRoute({
  operationId: "update-media-track",
  summary: "Change the labels of an added track",
  description: "Its language, name and title. Picture and sound of the source keep theirs.",
  method: "patch",
  path: itemPath,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateTrack) } },
  responses: {
    200: dataAnswer(AddedTrackRecord, "The track as it is now"),
    ...problemResponses(
      "duplicate_language_name",
      "unauthorized",
      "forbidden",
      "media_not_found",
      "track_not_found",
      "validation_failed",
    ),
  },
});
const deleteRoute = createRoute({
  operationId: "delete-media-track",
  summary: "Remove an added track",
  description: "Manifests name it no longer, and its files are deleted. Picture and sound of the source stay.",
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: {
    200: doneAnswer("Removed"),
    ...problemResponses("unauthorized", "forbidden", "media_not_found", "track_not_found", "validation_failed"),
  },
});

const generateRoute = createRoute({
  operationId: "Generate-subtitle-track",
  summary: "Make subtitles of a sound",
  description:
    "What is spoken is written down, in its own language, and becomes a subtitle track. `trackId` is that of the sound. `video.media.subtitle.generated.ready` follows, or `video.media.track.failed`.",
  method: "post",
  path: `${itemPath}/generate-subtitles`,
  tags,
  security,
  request: {
    params,
    headers: IdempotencyHeaders,
    body: { required: true, content: json(GenerateSubtitles) },
  },
  responses: {
    200: dataAnswer(AddedTrackRecord, "The subtitle track; its status is `preparing`"),
    ...problemResponses("ai_budget_spent", "captions_exist", ...PROBLEMS_OF_ADDING, "track_not_found"),
  },
});

const translateRoute = createRoute({
  operationId: "translate-subtitle-track",
  summary: "Translate subtitles",
  description:
    "A text model translates the subtitles cue by cue: their times stay. The translation becomes a subtitle track. `video.media.subtitle.generated.ready` follows, or `video.media.track.failed`.",
  method: "post",
  path: `${itemPath}/translate`,
  tags,
  security,
  request: {
    params,
    headers: IdempotencyHeaders,
    body: { required: true, content: json(TranslateTrack) },
  },
  responses: {
    200: dataAnswer(AddedTrackRecord, "The translation; its status is `preparing`"),
    ...problemResponses(
      "ai_not_configured",
      "ai_budget_spent",
      "track_not_available",
      ...PROBLEMS_OF_ADDING,
      "track_not_found",
    ),
  },
});

const keyOf = (c: Context<AppContext>, mediaId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  assetId: mediaId.toLowerCase(),
});
const trackKeyOf = (c: Context<AppContext>, { mediaId, trackId }: { mediaId: string; trackId: string }) => ({
  ...keyOf(c, mediaId),
  trackId: trackId.toLowerCase(),
});

/** @throws {Problem} validation_failed for an URL that may not be fetched, and for settings of subtitles on sound */
function requireTrack(body: AddTrack, allowPrivateNetwork: boolean): TrackRequest {
  const { type: kind, ...track } = body.tracks;
  const refuse = (field: string, message: string, hint = message) =>
    validationProblem(
      { issues: [{ code: "custom", path: ["tracks", field], ...hinted(message, hint), input: undefined }] },
      { data: body, schema: null },
    );
  const checked = checkPublicUrl(track.url, allowPrivateNetwork);
  if (!checked.ok) throw refuse("url", checked.message);
  for (const flag of ["forced", "closedCaptions"] as const)
    if (kind === "audio" && track[flag] === true)
      throw refuse(flag, "is invalid", "must be absent: it is for subtitles");
  return { ...track, kind, url: checked.url.href };
}

/** Answers a request for a track that is made of another one. @param action the end of its path */
function answerMade<Answer extends object>(
  c: Context<AppContext>,
  action: "generate-subtitles" | "translate",
  params: { mediaId: string; trackId: string },
  make: (key: { assetId: string; trackId: string }, context: CreateContext) => Promise<Created<Answer>>,
) {
  const { assetId, trackId } = trackKeyOf(c, params);
  const name = `POST /v1/on-demand/${assetId}/tracks/${trackId}/${action}`;
  return answerOnce(c, { name, isSecret: false, status: 200 }, (context) => make({ assetId, trackId }, context));
}

/** @throws {Problem} media_not_found, track_not_found */
function orMissing<Found extends object>(found: Found | Missing): Found {
  if (!("missing" in found)) return found;
  return orNotFound<Found>(null, found.missing === "media" ? "media_not_found" : "track_not_found");
}

/** @param forgetPlayback drops this isolate's cached playback of an ID */
export const trackRoutes = ({ forgetPlayback }: { forgetPlayback: (playbackId: string) => void }) =>
  newRouter()
    .openapi(addRoute, (c) => {
      const request = requireTrack(c.req.valid("json"), allowsPrivateNetwork(c.env));
      const { assetId } = keyOf(c, c.req.valid("param").mediaId);
      const operation = { name: `POST /v1/on-demand/${assetId}/tracks`, isSecret: false };
      return answerOnce(c, operation, (context) => addTrack(assetId, request, context));
    })
    .openapi(generateRoute, (c) =>
      answerMade(c, "generate-subtitles", c.req.valid("param"), (key, context) =>
        generateSubtitles(key, c.req.valid("json"), context),
      ),
    )
    .openapi(translateRoute, (c) =>
      answerMade(c, "translate", c.req.valid("param"), (key, context) =>
        translateTrack(key, c.req.valid("json"), context),
      ),
    )
    .openapi(updateRoute, async (c) => {
      const key = trackKeyOf(c, c.req.valid("param"));
      const { track, committed } = orMissing(await updateTrack(c.env, key, c.req.valid("json"), new Date()));
      c.executionCtx.waitUntil(committed.wake());
      return c.json(success(toTrackRecord(track)), 200);
    })
    .openapi(deleteRoute, async (c) => {
      const key = trackKeyOf(c, c.req.valid("param"));
      const { track, playbackIds, committed } = orMissing(await deleteTrack(c.env, key, new Date()));
      for (const playbackId of playbackIds) forgetPlayback(playbackId);
      c.executionCtx.waitUntil(committed.wake());
      c.executionCtx.waitUntil(stopTrack(c.env, track));
      return c.json(DONE, 200);
    });
