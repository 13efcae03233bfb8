import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openDatabase } from "../../platform/database.ts";
import {
  dataAnswer,
  DONE,
  doneAnswer,
  pageAnswer,
  security,
  success,
  successPage,
} from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { NewestFirstQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { addMedia, reorderMedia, takeOutMedia } from "./change-media.ts";
import { createPlaylist } from "./create-playlist.ts";
import { deletePlaylist, findPlaylist, listPlaylists, mediaOf, renamePlaylist } from "./repository.ts";
import { CreatePlaylist, ListedPlaylist, PlaylistMediaIds, PlaylistRecord, UpdatePlaylist } from "./schemas.ts";
import { toListedPlaylist, toPlaylist } from "./to-playlist.ts";

const tags = ["Playlist"];
const path = "/v1/on-demand/playlists";
const itemPath = `${path}/{playlistId}` as const;
const mediaPath = `${itemPath}/media` as const;
const params = z.object({ playlistId: uuidParam("playlistId") });
const itemProblems = problemResponses("unauthorized", "forbidden", "playlist_not_found", "validation_failed");
const renamed = { 200: dataAnswer(PlaylistRecord, "The playlist as it is now"), ...itemProblems };
const changed = {
  ...renamed,
  ...problemResponses("unauthorized", "forbidden", "playlist_not_found", "media_not_found", "validation_failed"),
};
const body = { required: true, content: json(PlaylistMediaIds) };

const createRouteDefinition = createRoute({
  operationId: "create-a-playlist",
  summary: "Create a playlist",
  description: "A manual playlist has the media that are added to it; a smart one has those that its criteria match.",
  method: "post",
  path,
  tags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreatePlaylist) } },
  responses: {
    201: dataAnswer(PlaylistRecord, "The playlist"),
    ...problemResponses(
      "playlist_limit_reached",
      "unauthorized",
      "forbidden",
      "playlist_reference_taken",
      "validation_failed",
    ),
  },
});
const listRoute = createRoute({
  operationId: "get-all-playlists",
  summary: "Page through playlists, newest first",
  description: "Without the media; `mediaCount` says how many each lists.",
  method: "get",
  path,
  tags,
  security,
  request: { query: NewestFirstQuery },
  responses: {
    200: pageAnswer(ListedPlaylist, "One page of playlists"),
    ...problemResponses("unauthorized", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-playlist-by-id",
  summary: "One playlist with its media",
  description: "Media that were deleted are not listed.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(PlaylistRecord, "The playlist"), ...itemProblems },
});
const updateRoute = createRoute({
  operationId: "update-a-playlist",
  summary: "Change name and description",
  description: "Both are replaced. The type, the criteria and `referenceId` stay.",
  method: "put",
  path: itemPath,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdatePlaylist) } },
  responses: renamed,
});
const deleteRoute = createRoute({
  operationId: "delete-a-playlist",
  summary: "Remove a playlist; its media stay",
  description: "Its `referenceId` can be used again.",
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Removed"), ...itemProblems },
});
const addRoute = createRoute({
  operationId: "add-media-to-playlist",
  summary: "Append media to a manual playlist",
  description: "In the given order. Media that the playlist already has stay where they are.",
  method: "patch",
  path: mediaPath,
  tags,
  security,
  request: { params, body },
  responses: changed,
});
const reorderRoute = createRoute({
  operationId: "change-media-order-in-playlist",
  summary: "Change the order of a manual playlist",
  description: "`mediaIds` has each media of the playlist once.",
  method: "put",
  path: mediaPath,
  tags,
  security,
  request: { params, body },
  responses: changed,
});
const takeOutRoute = createRoute({
  operationId: "delete-media-from-playlist",
  summary: "Take media out of a manual playlist",
  description: "Media that the playlist does not have are ignored.",
  method: "delete",
  path: mediaPath,
  tags,
  security,
  request: { params, body },
  responses: changed,
});

const keyOf = (c: Context<AppContext>, playlistId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  playlistId: playlistId.toLowerCase(),
});

export const playlistRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => {
    const playlist = c.req.valid("json");
    return answerOnce(c, { name: `POST ${path}`, isSecret: false }, (context) => createPlaylist(playlist, context));
  })
  .openapi(listRoute, async (c) => {
    const { limit, offset } = c.req.valid("query");
    const db = openDatabase(c.env.DB);
    const { playlists, total } = await listPlaylists(db, c.var.caller.workspaceId, { page: offset, limit });
    const listed = playlists.map(({ playlist, mediaCount }) => toListedPlaylist(playlist, mediaCount));
    return c.json(successPage(listed, pagination(total, offset, limit)), 200);
  })
  .openapi(getRoute, async (c) => {
    const db = openDatabase(c.env.DB);
    const { workspaceId, playlistId } = keyOf(c, c.req.valid("param").playlistId);
    const playlist = orNotFound(await findPlaylist(db, workspaceId, playlistId), "playlist_not_found");
    return c.json(success(toPlaylist({ playlist, media: await mediaOf(db, playlist) })), 200);
  })
  .openapi(updateRoute, async (c) => {
    const db = openDatabase(c.env.DB);
    const { workspaceId, playlistId } = keyOf(c, c.req.valid("param").playlistId);
    const change = { ...c.req.valid("json"), updatedAt: new Date() };
    const row = await renamePlaylist(db, { workspaceId, id: playlistId }, change);
    const playlist = orNotFound(row, "playlist_not_found");
    return c.json(success(toPlaylist({ playlist, media: await mediaOf(db, playlist) })), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { workspaceId, playlistId } = keyOf(c, c.req.valid("param").playlistId);
    orNotFound(await deletePlaylist(openDatabase(c.env.DB), workspaceId, playlistId), "playlist_not_found");
    log("playlist.deleted", { playlistId, workspaceId });
    return c.json(DONE, 200);
  })
  .openapi(addRoute, async (c) => {
    const key = keyOf(c, c.req.valid("param").playlistId);
    const content = await addMedia(c.env, key, c.req.valid("json").mediaIds, new Date());
    return c.json(success(toPlaylist(orNotFound(content, "playlist_not_found"))), 200);
  })
  .openapi(reorderRoute, async (c) => {
    const key = keyOf(c, c.req.valid("param").playlistId);
    const content = await reorderMedia(c.env, key, c.req.valid("json").mediaIds, new Date());
    return c.json(success(toPlaylist(orNotFound(content, "playlist_not_found"))), 200);
  })
  .openapi(takeOutRoute, async (c) => {
    const key = keyOf(c, c.req.valid("param").playlistId);
    const content = await takeOutMedia(c.env, key, c.req.valid("json").mediaIds, new Date());
    return c.json(success(toPlaylist(orNotFound(content, "playlist_not_found"))), 200);
  });
