import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openDatabase } from "../../platform/database.ts";
import { cursorPageAnswer, dataAnswer, security, success, successPage } from "../../platform/http/answers.ts";
import { CursorQuery, CursorTime, cutPage, readCursor } from "../../platform/http/cursor.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { type BatchCommand, importBatch } from "./batch-calls.ts";
import { createBatch } from "./create-batch.ts";
import { listBatches } from "./repository.ts";
import {
  CreatedImport,
  CreateImport,
  ImportItem,
  ImportRecord,
  ItemStatus,
  ResumeImport,
  RetryImport,
  StartImport,
} from "./schemas.ts";
import { importParams, importsPath as path, itemPath, itemProblems, requireBatch, tags } from "./route-parts.ts";
import { orderOf } from "./order-of.ts";
import { otherCredential } from "./other-credential.ts";
import { toImport, toItem } from "./to-import.ts";

const createRouteDefinition = createRoute({
  operationId: "create-import",
  summary: "Migrate videos from another platform",
  description:
    "Creates a batch, which reads the source's list and then makes a media of each video. A dry run stops after the list and says what would happen.",
  method: "post",
  path,
  tags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreateImport) } },
  responses: {
    201: dataAnswer(CreatedImport, "The batch, whose scan has begun"),
    ...problemResponses(
      "unauthorized",
      "forbidden",
      "import_limit_reached",
      "import_credential_limit_reached",
      "import_list_not_found",
      "import_credential_not_found",
      "idempotency_conflict",
      "validation_failed",
      "unavailable",
    ),
  },
});
const listRoute = createRoute({
  operationId: "list-imports",
  summary: "Page through batches, newest first",
  description: "Their counts may be some seconds old; one batch is answered as it is now.",
  method: "get",
  path,
  tags,
  security,
  request: { query: CursorQuery },
  responses: {
    200: cursorPageAnswer(ImportRecord, "One page of batches"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-import",
  summary: "One batch",
  description: "As it is now, with its throughput and what it waits for.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params: importParams },
  responses: { 200: dataAnswer(ImportRecord, "The batch"), ...itemProblems },
});
const itemsRoute = createRoute({
  operationId: "list-import-items",
  summary: "Page through the items of a batch",
  description: "In the order in which the source listed them.",
  method: "get",
  path: `${itemPath}/items`,
  tags,
  security,
  request: { params: importParams, query: CursorQuery.extend({ status: ItemStatus.optional() }) },
  responses: { 200: cursorPageAnswer(ImportItem, "One page of items"), ...itemProblems },
});

const commandRoute = <Name extends string, Body extends z.ZodType>(
  name: Name,
  summary: string,
  description: string,
  body: Body,
) =>
  createRoute({
    operationId: `${name}-import` as const,
    summary,
    description,
    method: "post",
    path: `${itemPath}/${name}` as const,
    tags,
    security,
    request: { params: importParams, body: { required: false, content: json(body) } },
    responses: {
      200: dataAnswer(ImportRecord, "The batch as it is now"),
      ...problemResponses("unauthorized", "forbidden", "import_not_found", "import_state", "validation_failed"),
    },
  });

const startRoute = commandRoute(
  "start",
  "Start a batch after its dry run",
  "Makes media of the videos that the dry run has listed.",
  StartImport,
);
const pauseRoute = commandRoute(
  "pause",
  "Pause a batch",
  "Media that are being made go on; no further ones are.",
  z.strictObject({}).openapi("PauseImport"),
);
const resumeRoute = commandRoute(
  "resume",
  "Go on with a paused batch",
  "Where it was, also with other credentials.",
  ResumeImport,
);
const cancelRoute = commandRoute(
  "cancel",
  "End a batch",
  "Media that were made stay. What was opened at the source is closed again.",
  z.strictObject({}).openapi("CancelImport"),
);
const retryRoute = commandRoute(
  "retry",
  "Try failed items again",
  "All of them, or those that are named. A media that failed is deleted first.",
  RetryImport,
);

/** The batch's own object says what it is now, so a repeated or late write of D1 shows no earlier state. @throws {Problem} import_not_found, import_state */
async function commanded(c: Context<AppContext>, importId: string, command: BatchCommand) {
  const row = await requireBatch(c, importId);
  const batch = importBatch(c.env, row.id);
  const view = await batch.command(command, orderOf(row));
  if (view !== null) return success(toImport(row, view));
  const { state } = await batch.view();
  throw new Problem("import_state", `a batch that is ${state} cannot do this: ${command.name}`);
}

/** A mistyped id would otherwise migrate a video that was to be left out. @throws {Problem} import_not_found, validation_failed */
async function requireItems(c: Context<AppContext>, importId: string, field: string, sourceIds: readonly string[]) {
  if (sourceIds.length === 0) return;
  const { id } = await requireBatch(c, importId);
  const unknown = new Set(await importBatch(c.env, id).unknown(sourceIds));
  if (unknown.size === 0) return;
  const fields = sourceIds.flatMap((sourceId, n) =>
    unknown.has(sourceId) ? [{ field: `${field}[${n}]`, message: "is no item of this batch" }] : [],
  );
  throw new Problem("validation_failed", "not every id is an item of this batch", {
    fields: fields.slice(0, MAX_NAMED),
  });
}

/** Fields in an answer. */
const MAX_NAMED = 20;

export const batchRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => {
    const body = c.req.valid("json");
    return answerOnce(c, { name: `POST ${path}`, isSecret: true }, (context) => createBatch(body, context));
  })
  .openapi(listRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const after = readCursor(cursor, z.tuple([CursorTime, z.string()]));
    const rows = await listBatches(openDatabase(c.env.DB), c.var.caller.workspaceId, after, limit);
    const page = cutPage(rows, limit, ({ createdAt, id }) => [createdAt.getTime(), id]);
    return c.json(
      successPage(
        page.rows.map((row) => toImport(row, null)),
        page.pagination,
      ),
      200,
    );
  })
  .openapi(getRoute, async (c) => {
    const row = await requireBatch(c, c.req.valid("param").importId);
    return c.json(success(toImport(row, await importBatch(c.env, row.id).view())), 200);
  })
  .openapi(itemsRoute, async (c) => {
    const { limit, cursor, status = null } = c.req.valid("query");
    const [after] = readCursor(cursor, z.tuple([z.int().nonnegative()])) ?? [0];
    const { id } = await requireBatch(c, c.req.valid("param").importId);
    const items = await importBatch(c.env, id).items({ status, after, limit: limit + 1 });
    const page = cutPage(items, limit, ({ seq }) => [seq]);
    return c.json(successPage(page.rows.map(toItem), page.pagination), 200);
  })
  .openapi(startRoute, async (c) => {
    const { exclude } = StartImport.parse(c.req.valid("json") ?? {}); // without a body, its defaults
    const { importId } = c.req.valid("param");
    await requireItems(c, importId, "exclude", exclude);
    return c.json(await commanded(c, importId, { name: "start", exclude }), 200);
  })
  .openapi(pauseRoute, async (c) => c.json(await commanded(c, c.req.valid("param").importId, { name: "pause" }), 200))
  .openapi(resumeRoute, async (c) => {
    const { importId } = c.req.valid("param");
    const credentialId = await otherCredential(
      c.env,
      await requireBatch(c, importId),
      c.req.valid("json")?.credentialId,
    );
    return c.json(await commanded(c, importId, { name: "resume", credentialId }), 200);
  })
  .openapi(cancelRoute, async (c) => c.json(await commanded(c, c.req.valid("param").importId, { name: "cancel" }), 200))
  .openapi(retryRoute, async (c) => {
    const { items = null } = c.req.valid("json") ?? {};
    const { importId } = c.req.valid("param");
    await requireItems(c, importId, "items", items ?? []);
    return c.json(await commanded(c, importId, { name: "retry", items }), 200);
  });
