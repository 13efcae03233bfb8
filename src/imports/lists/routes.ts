import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, DONE, doneAnswer, security, success } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type Caller, newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { deleteList } from "./delete-list.ts";
import { findList, type ListKey } from "./repository.ts";
import { ImportListRecord, toListRecord } from "./schemas.ts";

const tags = ["Imports"];
const path = "/v1/imports/lists/{listId}" as const;
const params = z.object({ listId: uuidParam("listId") });
const problems = problemResponses("unauthorized", "forbidden", "import_list_not_found", "validation_failed");

const getRoute = createRoute({
  operationId: "get-import-list",
  summary: "One list of videos",
  description: "What was read of it.",
  method: "get",
  path,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(ImportListRecord, "The list"), ...problems },
});
const deleteRoute = createRoute({
  operationId: "delete-import-list",
  summary: "Delete a list of videos",
  description: "A batch that has not read all of it stops with `source_unreadable`.",
  method: "delete",
  path,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Deleted"), ...problems },
});

const keyOf = ({ workspaceId }: Caller, listId: string): ListKey => ({ workspaceId, listId: listId.toLowerCase() });

export const listRoutes = newRouter()
  .openapi(getRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").listId);
    const list = orNotFound(await findList(openDatabase(c.env.DB), key), "import_list_not_found");
    return c.json(success(toListRecord(list)), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").listId);
    orNotFound(await deleteList(c.env, key), "import_list_not_found");
    log("import_list.deleted", { ...key });
    return c.json(DONE, 200);
  });
