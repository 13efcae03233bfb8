import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { openEngine } from "../engines/open-engine.ts";

/** The ids of views are cut to this length (`beacons/beacon-batch.ts`). */
const MAX_ID_LENGTH = 2048;

const ForgottenViewer = z
  .object({
    deletedViews: z.int().openapi({ description: "Views that are deleted" }),
    remainingViews: z.int().openapi({ description: "Further views, which are deleted within minutes" }),
  })
  .openapi("ForgottenViewer");

const forgetRoute = createRoute({
  operationId: "forget_viewer",
  summary: "Forget a viewer",
  description:
    "Deletes all views of this viewer, also those that are still running: what their players report later is ignored. Views that the viewer begins later are stored. A repeat deletes nothing more.",
  method: "delete",
  path: "/v1/data/viewers/{viewerId}",
  tags: ["Video data"],
  security,
  request: {
    params: z.object({
      viewerId: z
        .string()
        .min(1)
        .max(MAX_ID_LENGTH)
        .openapi({ param: { name: "viewerId", in: "path" }, description: "`viewerId` or `fpViewerId` of a view" }),
    }),
  },
  responses: {
    200: dataAnswer(ForgottenViewer, "How many views are deleted"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

export const viewerRoutes = newRouter().openapi(forgetRoute, async (c) => {
  const { viewerId } = c.req.valid("param");
  const engine = await openEngine(c.env, c.var.caller.workspaceId, Date.now());
  return c.json(success(await engine.forget(viewerId)), 200);
});
