import { createRoute, z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import type { Context } from "hono";
import { openDatabase } from "../../platform/database.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { readIdempotencyKey } from "../../platform/http/idempotency.ts";
import { log, logWarning } from "../../platform/log.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { PageQuery, pagination, Pagination } from "../../platform/http/pagination.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type AppContext, newRouter, validationProblem } from "../../platform/http/router.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { assetMachine } from "./asset-calls.ts";
import { createAsset } from "./create-asset.ts";
import { deletedEvent } from "./media-event.ts";
import { type AssetRecord, findAsset, listAssets, tombstoneAsset } from "./repository.ts";
import { MediaRecord } from "../../events/index.ts";
import { CreateAsset, CreatedMedia, InputInfo, inputIssues, UpdateAsset } from "./schemas.ts";
import { toInputInfo, toMedia } from "./to-media.ts";
import { updateAsset } from "./update-asset.ts";

const tags = ["Media"];
const security = [{ basic: [] }];
const params = z.object({ mediaId: z.uuid().openapi({ param: { name: "mediaId", in: "path" } }) });
const ok = <T extends z.ZodType>(data: T, description: string) => ({
  description,
  content: json(z.object({ success: z.literal(true), data })),
});

const createRouteDefinition = createRoute({
  operationId: "create-media",
  summary: "Create a media from a URL",
  method: "post",
  path: "/v1/on-demand",
  tags,
  security,
  request: {
    headers: z.object({
      "idempotency-key": z
        .string()
        .optional()
        .openapi({ description: "A repeat with the same key within 24 h gets the first answer" }),
    }),
    body: { required: true, content: json(CreateAsset) },
  },
  responses: {
    201: {
      description: "Accepted; processing has started. `playback_id` plays as soon as something is playable.",
      content: json(z.object({ success: z.literal(true), playback_id: z.uuid(), data: CreatedMedia })),
    },
    ...problemResponses("unauthorized", "forbidden", "idempotency_conflict", "validation_failed"),
  },
});

const listRoute = createRoute({
  operationId: "list-media",
  summary: "Page through media",
  method: "get",
  path: "/v1/on-demand",
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: {
      description: "One page of media",
      content: json(z.object({ success: z.literal(true), data: z.array(MediaRecord), pagination: Pagination })),
    },
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

const itemProblems = problemResponses("unauthorized", "forbidden", "media_not_found", "validation_failed");
const getRoute = createRoute({
  operationId: "get-media",
  summary: "One media",
  method: "get",
  path: "/v1/on-demand/{mediaId}",
  tags,
  security,
  request: { params },
  responses: { 200: ok(MediaRecord, "The media"), ...itemProblems },
});
const updateRoute = createRoute({
  operationId: "updated-media",
  summary: "Change title, creatorId, metadata",
  method: "patch",
  path: "/v1/on-demand/{mediaId}",
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateAsset) } },
  responses: { 200: ok(MediaRecord, "The media as it is now"), ...itemProblems },
});
const deleteRoute = createRoute({
  operationId: "delete-media",
  summary: "Remove a media for good",
  method: "delete",
  path: "/v1/on-demand/{mediaId}",
  tags,
  security,
  request: { params },
  responses: {
    200: { description: "Removed; playback has ended", content: json(z.object({ success: z.literal(true) })) },
    ...itemProblems,
  },
});
const inputInfoRoute = createRoute({
  operationId: "retrieveMediaInputInfo",
  summary: "Source URL and probed tracks",
  method: "get",
  path: "/v1/on-demand/{mediaId}/input-info",
  tags,
  security,
  request: { params },
  responses: { 200: ok(InputInfo, "The source"), ...itemProblems },
});

/** A recording under way: viewers of the broadcast play from its bytes. */
const isOnAir = ({ asset: { status, streamId, sourceAssetId } }: AssetRecord) =>
  status === "processing" && streamId !== null && sourceAssetId === null;

const notFound = () => new Problem("media_not_found", "no media has this id");

async function requireAsset(c: Context<AppContext>, mediaId: string): Promise<AssetRecord> {
  const record = await findAsset(openDatabase(c.env.DB), c.var.caller.workspaceId, mediaId.toLowerCase());
  if (record === null) throw notFound();
  return record;
}

/** @param forgetPlayback ends what this isolate still plays under a playback ID */
export const assetRoutes = ({ forgetPlayback }: { forgetPlayback: (playbackId: string) => void }) =>
  newRouter()
    .openapi(
      createRouteDefinition,
      async (c) => {
        const key = readIdempotencyKey(c.req.header("idempotency-key"));
        const requestHash = key === null ? "" : await sha256Hex(`POST /v1/on-demand\n${await c.req.text()}`);
        const answer = await createAsset(c.req.valid("json"), {
          env: c.env,
          caller: c.var.caller,
          publicUrl: c.env.PUBLIC_URL || new URL(c.req.url).origin,
          now: new Date(),
          after: (work) => c.executionCtx.waitUntil(work),
          idempotency: key === null ? null : { key, requestHash },
        });
        c.set("createdIds", [(JSON.parse(answer) as { data: { id: string } }).data.id]);
        return c.body(answer, 201, { "content-type": "application/json;charset=UTF-8" }) as never;
      },
      (result, c) => {
        if (result.success) return;
        const { data } = result as { data?: unknown };
        const more = result.target === "json" ? inputIssues(data, c.env.ALLOW_PRIVATE_NETWORK === "true") : [];
        throw validationProblem({ issues: [...result.error.issues, ...more] }, data, result.target);
      },
    )
    .openapi(listRoute, async (c) => {
      const { limit, offset, orderBy } = c.req.valid("query");
      const { records, total } = await listAssets(openDatabase(c.env.DB), c.var.caller.workspaceId, {
        page: offset,
        limit,
        order: orderBy,
      });
      return c.json(
        { success: true as const, data: records.map(toMedia), pagination: pagination(total, offset, limit) },
        200,
      );
    })
    .openapi(getRoute, async (c) => {
      return c.json(
        { success: true as const, data: toMedia(await requireAsset(c, c.req.valid("param").mediaId)) },
        200,
      );
    })
    .openapi(updateRoute, async (c) => {
      const { title, creatorId, metadata } = c.req.valid("json");
      const change = {
        ...(title === undefined ? {} : { title }),
        ...(creatorId === undefined ? {} : { creatorId }),
        ...(metadata === undefined ? {} : { metadata }),
      };
      const ids = { workspaceId: c.var.caller.workspaceId, assetId: c.req.valid("param").mediaId.toLowerCase() };
      const updated = await updateAsset(c.env, ids, change, new Date());
      if (updated === null) throw notFound();
      c.executionCtx.waitUntil(updated.committed.wake());
      return c.json({ success: true as const, data: toMedia(updated.record) }, 200);
    })
    .openapi(deleteRoute, async (c) => {
      const record = await requireAsset(c, c.req.valid("param").mediaId);
      const { id, workspaceId } = record.asset;
      const now = new Date();
      const event = deletedEvent(record, { id: crypto.randomUUID(), atMs: now.getTime() });
      const tombstone = tombstoneAsset(openDatabase(c.env.DB), id, now);
      const { isNew, wake } = await commitWithEvents(c.env, [tombstone], [{ event, onlyIf: sql`changes() > 0` }]);
      if (!isNew[0]) throw notFound(); // somebody else was faster
      for (const playbackId of record.playbackIds) forgetPlayback(playbackId.id);
      log("asset.deleted", { assetId: id, workspaceId });
      c.executionCtx.waitUntil(wake());
      if (isOnAir(record)) return c.json({ success: true as const }, 200); // its bytes go when the broadcast is over
      // When this is lost, the cron's sweep says it again.
      c.executionCtx.waitUntil(
        assetMachine(c.env, id)
          .remove(id)
          .catch((error: unknown) => logWarning("asset.remove_failed", { assetId: id, error: String(error) })),
      );
      return c.json({ success: true as const }, 200);
    })
    .openapi(inputInfoRoute, async (c) => {
      return c.json(
        { success: true as const, data: toInputInfo(await requireAsset(c, c.req.valid("param").mediaId)) },
        200,
      );
    });
