import { createRoute, z } from "@hono/zod-openapi";
import type { KeySystem } from "../../media/cenc/content-key.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { dataAnswer, pageAnswer, security, success, successPage } from "../../platform/http/answers.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { NewestFirstQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { log } from "../../platform/log.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { ServiceVariable } from "./ask-service.ts";
import { ensureConfiguration, findConfiguration, listConfigurations } from "./configurations.ts";
import { CreateDrmConfiguration, CreatedDrmConfiguration, DrmConfigurationRecord } from "./schemas.ts";

const tags = ["DRM configurations"];
const path = "/v1/on-demand/drm-configurations";
const itemPath = `${path}/{drmConfigurationId}` as const;

const createRouteDefinition = createRoute({
  operationId: "create-drm-configuration",
  summary: "Make a DRM configuration",
  description:
    "It never changes. A workspace has one for each combination of key systems, and a repeated request gets the same one.",
  method: "post",
  path,
  tags,
  security,
  request: { body: { required: true, content: json(CreateDrmConfiguration) } },
  responses: {
    201: dataAnswer(CreatedDrmConfiguration, "The configuration"),
    ...problemResponses("drm_not_set_up", "unauthorized", "forbidden", "validation_failed"),
  },
});
const listRoute = createRoute({
  operationId: "getDrmConfiguration",
  summary: "Page through DRM configurations, newest first",
  description: "Their ids. Without a configuration the answer is 400.",
  method: "get",
  path,
  tags,
  security,
  request: { query: NewestFirstQuery },
  responses: {
    200: pageAnswer(DrmConfigurationRecord, "One page of configurations"),
    ...problemResponses("no_drm_configuration", "unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "getDrmConfigurationById",
  summary: "One DRM configuration",
  description: "Its id.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params: z.object({ drmConfigurationId: uuidParam("drmConfigurationId") }) },
  responses: {
    200: dataAnswer(DrmConfigurationRecord, "The configuration"),
    ...problemResponses("unauthorized", "forbidden", "drm_configuration_not_found", "validation_failed"),
  },
});

/** What a key system needs of the deployment. */
const NEEDED: Record<KeySystem, readonly ServiceVariable[]> = {
  clearkey: [],
  widevine: ["DRM_LICENSE_PROXY_CPIX_URL", "DRM_LICENSE_PROXY_WIDEVINE_URL"],
  fairplay: [
    "DRM_LICENSE_PROXY_CPIX_URL",
    "DRM_LICENSE_PROXY_FAIRPLAY_URL",
    "DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL",
  ],
};

/** @throws {Problem} drm_not_set_up, which names every variable that is missing */
function requireService(env: Env, keySystems: KeySystem[]): void {
  const missing = [...new Set(keySystems.flatMap((one) => NEEDED[one]))].filter((name) => (env[name] ?? "") === "");
  if (missing.length > 0)
    throw new Problem("drm_not_set_up", `this deployment has no licence service: set ${missing.join(", ")}`);
}

export const drmConfigurationRoutes = newRouter()
  .openapi(createRouteDefinition, async (c) => {
    const { keySystems } = c.req.valid("json");
    const { workspaceId } = c.var.caller;
    requireService(c.env, keySystems);
    const made = await ensureConfiguration(openDatabase(c.env.DB), workspaceId, keySystems, new Date());
    c.set("createdIds", [made.id]);
    log("drm_configuration.created", { drmConfigurationId: made.id, workspaceId });
    return c.json(success({ id: made.id, keySystems: made.keySystems, createdAt: toTimestamp(made.createdAt) }), 201);
  })
  .openapi(listRoute, async (c) => {
    const { limit, offset } = c.req.valid("query");
    const page = { page: offset, limit };
    const { configurations, total } = await listConfigurations(openDatabase(c.env.DB), c.var.caller.workspaceId, page);
    if (total === 0) throw new Problem("no_drm_configuration", "this workspace has no DRM configuration");
    return c.json(
      successPage(
        configurations.map(({ id }) => ({ id })),
        pagination(total, offset, limit),
      ),
      200,
    );
  })
  .openapi(getRoute, async (c) => {
    const id = c.req.valid("param").drmConfigurationId.toLowerCase();
    const found = await findConfiguration(openDatabase(c.env.DB), c.var.caller.workspaceId, id);
    return c.json(success({ id: orNotFound(found, "drm_configuration_not_found").id }), 200);
  });
