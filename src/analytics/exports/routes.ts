import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, pageAnswer, security, success, successPage } from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { NewestFirstQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { createExport } from "./create-export.ts";
import { downloadExport } from "./download-export.ts";
import { countExports, deleteExport, listExports } from "./repository.ts";
import { CreateExport, ListedExport, ViewExportRecord } from "./schemas.ts";
import { toListedExport } from "./to-listed-export.ts";

const tags = ["Video data"];
const path = "/v1/data/viewlist";
const exportsPath = `${path}/exports` as const;

const createRouteDefinition = createRoute({
  operationId: "create_view_export",
  summary: "Make a signed URL that downloads views",
  description: "For warehouses and spreadsheets. The URL needs no credentials, and streams any number of views.",
  method: "post",
  path,
  tags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreateExport) } },
  responses: {
    201: dataAnswer(ViewExportRecord, "The URL"),
    ...problemResponses("unauthorized", "forbidden", "export_limit_reached", "validation_failed"),
  },
});
const listRoute = createRoute({
  operationId: "list_view_exports",
  summary: "Page through exports, newest first",
  description: "Those that can be downloaded, without their URLs.",
  method: "get",
  path: exportsPath,
  tags,
  security,
  request: { query: NewestFirstQuery },
  responses: {
    200: pageAnswer(ListedExport, "One page of exports"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const deleteRoute = createRoute({
  operationId: "delete_view_export",
  summary: "Revoke an export",
  description: "Its URL is refused from now on. A download that has begun goes on.",
  method: "delete",
  path: `${exportsPath}/{exportId}`,
  tags,
  security,
  request: { params: z.object({ exportId: uuidParam("exportId") }) },
  responses: {
    200: dataAnswer(z.object({ message: z.string() }).openapi("RevokedExport"), "Revoked"),
    ...problemResponses("unauthorized", "forbidden", "export_not_found", "validation_failed"),
  },
});

export const exportRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => {
    const body = c.req.valid("json");
    return answerOnce(c, { name: `POST ${path}`, isSecret: true }, (context) => createExport(body, context));
  })
  .openapi(listRoute, async (c) => {
    const { limit, offset: page } = c.req.valid("query");
    const [db, now] = [openDatabase(c.env.DB), new Date()];
    const { workspaceId } = c.var.caller;
    const [total, exports] = await Promise.all([
      countExports(db, workspaceId, now),
      listExports(db, workspaceId, { page, limit, now }),
    ]);
    return c.json(successPage(exports.map(toListedExport), pagination(total, page, limit)), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const exportId = c.req.valid("param").exportId.toLowerCase();
    orNotFound(await deleteExport(openDatabase(c.env.DB), workspaceId, exportId), "export_not_found");
    log("view_export.revoked", { exportId, workspaceId });
    return c.json(success({ message: "export is revoked" }), 200);
  });

/** Downloads of exports, without credentials. */
export const exportDownloads = newRouter();
exportDownloads.get("/exports/:file{[0-9a-f-]{36}\\.(?:json|ndjson|csv)}", (c) =>
  downloadExport(c.env, c.req.param("file").slice(0, 36), c.req.query("token") ?? ""),
);
