import { createRoute, z } from "@hono/zod-openapi";
import { listAssets } from "../assets/repository.ts";
import { MediaRecord } from "../assets/schemas.ts";
import { toMedia } from "../assets/to-media.ts";
import { openDatabase } from "../database.ts";
import { json, problemResponses } from "../http/openapi.ts";
import { PageQuery, pagination, Pagination } from "../http/pagination.ts";
import { newRouter } from "../http/router.ts";
import { security } from "./route-parts.ts";

/** Some clients write a stream's id as a UUID. */
const livestreamId = z
  .union([z.uuid(), z.string().regex(/^[0-9a-fA-F]{32}$/)])
  .transform((id) => id.replaceAll("-", "").toLowerCase())
  .openapi({
    param: { name: "livestreamId", in: "path" },
    type: "string",
    example: "61a264dcc447b63da6fb79ef925cd76d",
  });

const listRoute = createRoute({
  operationId: "list-live-clips",
  summary: "Page through the clips of a stream",
  method: "get",
  path: "/v1/on-demand/{livestreamId}/live-clips",
  tags: ["Manage live stream"],
  security,
  request: { params: z.object({ livestreamId }), query: PageQuery },
  responses: {
    200: {
      description: "One page of clips; none for a stream that there is not",
      content: json(z.object({ success: z.literal(true), data: z.array(MediaRecord), pagination: Pagination })),
    },
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

export const clipRoutes = newRouter().openapi(listRoute, async (c) => {
  const { limit, offset, orderBy } = c.req.valid("query");
  const { records, total } = await listAssets(openDatabase(c.env.DB), c.var.caller.workspaceId, {
    page: offset,
    limit,
    order: orderBy,
    clipsOfStream: c.req.valid("param").livestreamId,
  });
  return c.json(
    { success: true as const, data: records.map(toMedia), pagination: pagination(total, offset, limit) },
    200,
  );
});
