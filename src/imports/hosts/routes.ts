import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, DONE, doneAnswer, security, success } from "../../platform/http/answers.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { publicUrlOf } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { readHostName } from "./host-name.ts";
import { forgetMappedHost } from "./mapped-host.ts";
import { mapHost } from "./put-host.ts";
import { deleteHost, listHosts } from "./repository.ts";
import { ImportHostRecord, PutImportHost, toHostRecord } from "./schemas.ts";

const tags = ["Imports"];
const path = "/v1/imports/hosts";

const putRoute = createRoute({
  operationId: "put-import-host",
  summary: "Map a host to migrated videos",
  description:
    "Old addresses of a source on a host of your own then lead to the migrated videos, once the host's DNS leads to this platform. At most 20 for each workspace.",
  method: "put",
  path,
  tags,
  security,
  request: { body: { required: true, content: json(PutImportHost) } },
  responses: {
    200: dataAnswer(ImportHostRecord, "The mapping"),
    ...problemResponses(
      "unauthorized",
      "forbidden",
      "import_host_limit_reached",
      "import_host_taken",
      "validation_failed",
    ),
  },
});
const listRoute = createRoute({
  operationId: "list-import-hosts",
  summary: "The hosts that are mapped to migrated videos",
  description: "All of them, by name.",
  method: "get",
  path,
  tags,
  security,
  responses: {
    200: dataAnswer(z.array(ImportHostRecord), "The mappings"),
    ...problemResponses("unauthorized", "forbidden"),
  },
});
const deleteRoute = createRoute({
  operationId: "delete-import-host",
  summary: "Delete the mapping of a host",
  description: "Its addresses lead nowhere within a minute.",
  method: "delete",
  path: `${path}/{host}`,
  tags,
  security,
  request: {
    params: z.object({
      host: z.string().openapi({ param: { name: "host", in: "path" }, example: "videos.example.com" }),
    }),
  },
  responses: {
    200: doneAnswer("Deleted"),
    ...problemResponses("unauthorized", "forbidden", "import_host_not_found", "validation_failed"),
  },
});

export const hostRoutes = newRouter()
  .openapi(putRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const deployment = { publicUrl: publicUrlOf(c), requestHost: new URL(c.req.url).host, now: new Date() };
    const row = await mapHost(c.env, { workspaceId, ...c.req.valid("json") }, deployment);
    return c.json(success(toHostRecord(row)), 200);
  })
  .openapi(listRoute, async (c) => {
    const rows = await listHosts(openDatabase(c.env.DB), c.var.caller.workspaceId);
    return c.json(success(rows.map(toHostRecord)), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const host = readHostName(c.req.valid("param").host) ?? "";
    orNotFound(await deleteHost(openDatabase(c.env.DB), workspaceId, host), "import_host_not_found");
    forgetMappedHost(c.env, host);
    log("import_host.deleted", { host, workspaceId });
    return c.json(DONE, 200);
  });
