import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, envelopeAnswer, pageAnswer, security, success, successPage } from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { PageQuery, pagination } from "../../platform/http/pagination.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { creationProblems } from "../assets/index.ts";
import { cancelUpload } from "./cancel-upload.ts";
import { createUpload } from "./create-upload.ts";
import { listWaiting } from "./repository.ts";
import { CancelledUpload, CreateUpload, UploadRecord, UploadState } from "./schemas.ts";
import { readUpload } from "./read-upload.ts";
import { toAnswer } from "./to-record.ts";

const tags = ["Uploads"];
const path = "/v1/on-demand/upload";
const listPath = "/v1/on-demand/uploads";

const created = {
  201: envelopeAnswer(
    {
      playback_id: z.uuid(),
      page_url: z.url().openapi({ example: "https://sluice.example.com/upload/eyJhbGciOiJIUzI1NiJ9.made-up" }),
      data: UploadRecord,
    },
    "The upload. `playback_id` plays as soon as something is playable; `page_url` is a page on which anybody with its link can send the file.",
  ),
  ...creationProblems("upload_limit_reached"),
};
const request = { headers: IdempotencyHeaders, body: { required: true, content: json(CreateUpload) } };

const createRouteDefinition = createRoute({
  operationId: "direct-upload-video-media",
  summary: "Create an upload",
  description:
    "Answers with the URL that takes the file: in one PUT, in chunks, or over tus. Processing starts with its last byte. An upload that is not complete after 24 hours is deleted.",
  method: "post",
  path,
  tags,
  security,
  request,
  responses: created,
});
const aliasRoute = createRoute({
  operationId: "create-upload",
  summary: "Create an upload (older path)",
  description: "The same as `POST /v1/on-demand/upload`.",
  method: "post",
  path: listPath,
  tags,
  security,
  request,
  responses: created,
});
const listRoute = createRoute({
  operationId: "list-uploads",
  summary: "Page through unused uploads",
  description: "Those that are not complete, cancelled or expired. By time of creation.",
  method: "get",
  path: listPath,
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: pageAnswer(UploadRecord, "One page of uploads"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const params = z.object({ uploadId: uuidParam("uploadId") });
const itemProblems = problemResponses("unauthorized", "forbidden", "media_not_found", "validation_failed");
const getRoute = createRoute({
  operationId: "get-upload",
  summary: "One upload",
  description: "Its status, and how much of the file has arrived.",
  method: "get",
  path: `${path}/{uploadId}`,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(UploadState, "The upload"), ...itemProblems },
});
const cancelRoute = createRoute({
  operationId: "cancel-upload",
  summary: "Cancel an upload",
  description: "Its URL ends at once, and what it has received is deleted. A complete upload cannot be cancelled.",
  method: "put",
  path: `${path}/{uploadId}/cancel`,
  tags,
  security,
  request: { params },
  responses: {
    200: dataAnswer(CancelledUpload, "The cancelled upload"),
    ...problemResponses("upload_not_waiting", "unauthorized", "forbidden", "media_not_found", "validation_failed"),
  },
});

/** The two paths are one operation, so a repeat with the same `Idempotency-Key` may use either. */
const operation = { name: `POST ${path}`, isSecret: true };
const create = (c: Context<AppContext>, body: CreateUpload) =>
  answerOnce(c, operation, (context) => createUpload(body, context));

const keyOf = (c: Context<AppContext>, uploadId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  uploadId: uploadId.toLowerCase(),
});

export const uploadRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => create(c, c.req.valid("json")))
  .openapi(aliasRoute, (c) => create(c, c.req.valid("json")))
  .openapi(listRoute, async (c) => {
    const { limit, offset, orderBy } = c.req.valid("query");
    const page = { page: offset, limit, order: orderBy };
    const { uploads, total } = await listWaiting(openDatabase(c.env.DB), c.var.caller.workspaceId, page);
    const records = uploads.map((upload) => toAnswer(c.env, upload, "waiting"));
    return c.json(successPage(records, pagination(total, offset, limit)), 200);
  })
  .openapi(getRoute, async (c) =>
    c.json(success(await readUpload(c.env, keyOf(c, c.req.valid("param").uploadId))), 200),
  )
  .openapi(cancelRoute, async (c) => {
    return c.json(success(await cancelUpload(c.env, keyOf(c, c.req.valid("param").uploadId))), 200);
  });
