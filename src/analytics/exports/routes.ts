import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { createExport } from "./create-export.ts";
import { downloadExport } from "./download-export.ts";
import { deleteExport } from "./repository.ts";
import { CreateExport, ViewExportRecord } from "./schemas.ts";

const tags = ["Video data"];
const path = "/v1/data/viewlist";

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
const deleteRoute = createRoute({
  operationId: "delete_view_export",
  summary: "Revoke an export",
  description: "Its URL is refused from now on. A download that has begun goes on.",
  method: "delete",
  path: "/v1/data/viewlist/exports/{exportId}",
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
  .openapi(deleteRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const exportId = c.req.valid("param").exportId.toLowerCase();
    orNotFound(await deleteExport(openDatabase(c.env.DB), workspaceId, exportId), "export_not_found");
    log("view_export.revoked", { exportId, workspaceId });
    return c.json(success({ message: "export is revoked" }), 200);
  });

/** Where exports are downloaded, without credentials. */
export const exportDownloads = newRouter();
exportDownloads.get("/exports/:file{[0-9a-f-]{36}\\.(?:json|ndjson|csv)}", (c) =>
  downloadExport(c.env, c.req.param("file").slice(0, 36), c.req.query("token") ?? ""),
);
