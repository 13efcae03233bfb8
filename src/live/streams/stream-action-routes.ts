import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, doneAnswer, security, success } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { newRouter } from "../../platform/http/router.ts";
import { countViewers } from "./count-viewers.ts";
import { rotateKey } from "./rotate-key.ts";
import {
  answerAction,
  answerChanged,
  keyOf,
  streamItemProblems as itemProblems,
  streamParams as params,
} from "./route-parts.ts";
import { StreamAnswer } from "./schemas.ts";

const itemPath = "/v1/live/streams/{streamId}" as const;
const tags = ["Manage live stream"];

const viewersRoute = createRoute({
  operationId: "get-live-stream-viewer-count-by-id",
  summary: "Current viewers",
  description: "Counted by the playlists that players request.",
  method: "get",
  path: `${itemPath}/viewer-count`,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(z.object({ views: z.int() }), "Playing sessions of the last 30 s"), ...itemProblems },
});
const enableRoute = createRoute({
  operationId: "enable-live-stream",
  summary: "Allow ingest again",
  description: "For a disabled stream.",
  method: "put",
  path: `${itemPath}/live-enable`,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Enabled"), ...itemProblems, ...problemResponses("stream_enabled") },
});
const disableRoute = createRoute({
  operationId: "disable-live-stream",
  summary: "Refuse ingest, and end the broadcast",
  description: "A current broadcast ends, and broadcasters are refused until the stream is enabled again.",
  method: "put",
  path: `${itemPath}/live-disable`,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Disabled"), ...itemProblems, ...problemResponses("stream_disabled") },
});
const finishRoute = createRoute({
  operationId: "complete-live-stream",
  summary: "End the broadcast",
  description: "Viewers see the end of the broadcast, and its recording becomes a media. The stream can be used again.",
  method: "put",
  path: `${itemPath}/finish`,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Ended"), ...itemProblems, ...problemResponses("stream_not_active") },
});

const rotateRoute = createRoute({
  operationId: "rotate-live-stream-key",
  summary: "Give a stream another key",
  description:
    "`streamKey` and `srtSecret` are new, and the old ones are refused at once. A current " +
    "broadcast continues until it ends or its connection fails; `finish` ends it.",
  method: "post",
  path: `${itemPath}/rotate-key`,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(StreamAnswer, "The stream with its new secrets"), ...itemProblems },
});

export const streamActionRoutes = newRouter()
  .openapi(rotateRoute, async (c) => {
    return await answerChanged(c, await rotateKey(c.env, keyOf(c, c.req.valid("param").streamId), new Date()));
  })
  .openapi(viewersRoute, async (c) => {
    const views = orNotFound(await countViewers(c.env, keyOf(c, c.req.valid("param").streamId)), "stream_not_found");
    return c.json(success({ views }), 200);
  })
  .openapi(enableRoute, (c) => answerAction(c, c.req.valid("param").streamId, "enable"))
  .openapi(disableRoute, (c) => answerAction(c, c.req.valid("param").streamId, "disable"))
  .openapi(finishRoute, (c) => answerAction(c, c.req.valid("param").streamId, "finish"));
