import { createRoute, z } from "@hono/zod-openapi";
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
import { newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { createAlert } from "./create-alert.ts";
import { deleteAlert, findAlert, listAlerts } from "./repository.ts";
import { AlertRecord, CreateAlert, UpdateAlert } from "./schemas.ts";
import { toAlert } from "./to-alert.ts";
import { updateAlert } from "./update-alert.ts";

const tags = ["Video data"];
const path = "/v1/data/alerts";
const itemPath = `${path}/{alertId}` as const;
const params = z.object({ alertId: uuidParam("alertId") });
const itemProblems = problemResponses("unauthorized", "forbidden", "alert_not_found", "validation_failed");

const createRouteDefinition = createRoute({
  operationId: "create_alert",
  summary: "Create an alert",
  description:
    "A metric is computed every five minutes over the views that ended in them, two minutes after. The events are `data.alert.triggered` and `data.alert.recovered`.",
  method: "post",
  path,
  tags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreateAlert) } },
  responses: {
    201: dataAnswer(AlertRecord, "The alert"),
    ...problemResponses("unauthorized", "forbidden", "alert_limit_reached", "validation_failed"),
  },
});
const listRoute = createRoute({
  operationId: "list_alerts",
  summary: "Page through alerts, newest first",
  description: "With their state.",
  method: "get",
  path,
  tags,
  security,
  request: { query: NewestFirstQuery },
  responses: {
    200: pageAnswer(AlertRecord, "One page of alerts"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get_alert",
  summary: "One alert",
  description: "With its state, and the figures of the five minutes that were evaluated last.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(AlertRecord, "The alert"), ...itemProblems },
});
const updateRoute = createRoute({
  operationId: "update_alert",
  summary: "Change an alert",
  description: "Its state stays until the next five minutes are evaluated.",
  method: "patch",
  path: itemPath,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateAlert) } },
  responses: { 200: dataAnswer(AlertRecord, "The changed alert"), ...itemProblems },
});
const deleteRoute = createRoute({
  operationId: "delete_alert",
  summary: "Delete an alert",
  description: "A triggered one is not announced as recovered.",
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Deleted"), ...itemProblems },
});

export const alertRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => {
    const body = c.req.valid("json");
    return answerOnce(c, { name: `POST ${path}`, isSecret: false }, (context) => createAlert(body, context));
  })
  .openapi(listRoute, async (c) => {
    const { limit, offset } = c.req.valid("query");
    const page = { page: offset, limit };
    const { rules, total } = await listAlerts(openDatabase(c.env.DB), c.var.caller.workspaceId, page);
    return c.json(successPage(rules.map(toAlert), pagination(total, offset, limit)), 200);
  })
  .openapi(getRoute, async (c) => {
    const alertId = c.req.valid("param").alertId.toLowerCase();
    const found = await findAlert(openDatabase(c.env.DB), c.var.caller.workspaceId, alertId);
    return c.json(success(toAlert(orNotFound(found, "alert_not_found"))), 200);
  })
  .openapi(updateRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const alertId = c.req.valid("param").alertId.toLowerCase();
    const changed = await updateAlert(c.env, { workspaceId, alertId }, c.req.valid("json"), new Date());
    return c.json(success(toAlert(orNotFound(changed, "alert_not_found"))), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const alertId = c.req.valid("param").alertId.toLowerCase();
    orNotFound(await deleteAlert(openDatabase(c.env.DB), workspaceId, alertId), "alert_not_found");
    log("alert.deleted", { alertId, workspaceId });
    return c.json(DONE, 200);
  });
