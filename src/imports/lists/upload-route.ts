import { createRoute } from "@hono/zod-openapi";
import { envelopeAnswer, security, success } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { Problem } from "../../platform/http/problems.ts";
import { statedLength } from "../../platform/http/read-bytes.ts";
import { newRouter } from "../../platform/http/router.ts";
import { Warnings } from "../../platform/http/warnings.ts";
import { readContentType } from "./format-of.ts";
import { decodeText, MAX_LIST_BYTES, tooLong } from "./parse/decode-text.ts";
import { refuseFile } from "./parse/refuse-file.ts";
import { receiveList } from "./receive-list.ts";
import { ImportListRecord, toListRecord } from "./schemas.ts";

/** Plain schemas, so that no validator reads the body. */
const file = (example: string) => ({ schema: { type: "string" as const, example } });
const content = {
  "text/csv": file(
    "id,url,title,metadata.campaign,captions.en\n1,https://cdn.example.com/1.mp4,One,spring,https://cdn.example.com/1.vtt\n",
  ),
  "application/json": file('[{"id": "1", "url": "https://cdn.example.com/1.mp4", "title": "One"}]'),
  "application/x-ndjson": file('{"id": "1", "url": "https://cdn.example.com/1.mp4", "title": "One"}\n'),
};

const uploadRoute = createRoute({
  operationId: "create-import-list",
  summary: "Send a list of videos for a migration",
  description:
    "The body is the file, of at most 256 MiB and 500,000 videos, in UTF-8 or the `charset` of its type. A row that cannot be used is named and left out. At most 20 lists for each workspace. Sending it again makes another list.",
  method: "post",
  path: "/v1/imports/lists",
  tags: ["Imports"],
  security,
  request: { body: { required: true, content } },
  responses: {
    201: envelopeAnswer(
      {
        data: ImportListRecord,
        warnings: Warnings.openapi({
          description: "Columns and names that are unknown and were left out; absent = none",
        }),
      },
      "The list is stored",
    ),
    ...problemResponses(
      "import_list_limit_reached",
      "push_incomplete",
      "unauthorized",
      "forbidden",
      "body_too_large",
      "validation_failed",
      "unavailable",
    ),
  },
});

/** Sending lists. Outside the bound of JSON bodies. */
export const listUploadRoutes = newRouter().openapi(uploadRoute, async (c) => {
  const { raw } = c.req;
  if ((statedLength(raw.headers) ?? 0) > MAX_LIST_BYTES) throw tooLong(MAX_LIST_BYTES);
  const { format, charset } = readContentType(c.req.header("content-type") ?? "");
  const hint = "must be text/csv, application/json or application/x-ndjson";
  if (format === null) throw refuseFile("is not the type of a list", hint, "content-type");
  if (raw.body === null) throw refuseFile("is empty", "must be the file");
  const given = { workspaceId: c.var.caller.workspaceId, format, now: new Date() };
  const receiving = receiveList(c.env, given, decodeText(piecesOf(raw.body), charset));
  c.executionCtx.waitUntil(receiving.catch(() => undefined)); // the client may leave, and what is stored must go
  const { list, warnings } = await receiving;
  c.set("createdIds", [list.id]);
  return c.json({ ...success(toListRecord(list)), ...(warnings.length === 0 ? {} : { warnings }) }, 201);
});

/** @throws {Problem} push_incomplete when the connection breaks */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body.values({ preventCancel: true });
  } catch (cause) {
    throw new Problem("push_incomplete", "the connection broke before the end of the file", { cause });
  }
}
