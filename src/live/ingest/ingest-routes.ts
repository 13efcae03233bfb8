import { Hono } from "hono";
import type { z } from "zod";
import {
  AskPassphrase,
  Authorize,
  Dropped,
  Ended,
  Gap,
  Heartbeat,
  InitQuery,
  MAX_THUMBNAIL_BYTES,
  Opening,
  PartQuery,
  Register,
  Started,
  ThumbnailQuery,
} from "../../../protocol/live.ts";
import { formatOfInit } from "../../../protocol/init-facts.ts";
import { readBytes } from "../../platform/http/read-bytes.ts";
import { readCallback } from "../../platform/http/read-json.ts";
import { publicUrlOf } from "../../platform/http/requests.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { answerPassphrase } from "./authorize.ts";
import { authorize } from "./authorize.ts";
import { dropRung } from "./media-writes.ts";
import { endConnection } from "./session-reports.ts";
import { requireGateway, requireOwnHosts, requireOwnId } from "./gateways.ts";
import { recordGap } from "./media-writes.ts";
import { registerGateway } from "./gateways.ts";
import { reportHeartbeat } from "./session-reports.ts";
import { resumeSession } from "./session-reports.ts";
import { type LiveContext, requireSession } from "./session-auth.ts";
import { startSession } from "./session-reports.ts";
import { storeInit } from "./media-writes.ts";
import { storePart } from "./media-writes.ts";
import { storeThumbnail } from "./media-writes.ts";

const MAX_INIT_BYTES = 64 * 1024;
/** Limit of a part: a row in a Durable Object's SQLite holds 2 MB, which is one second at 15 Mbit/s. */
const MAX_PART_BYTES = 1_900_000;

/** @throws {Problem} validation_failed */
function validQuery<Schema extends z.ZodType>(schema: Schema, query: Record<string, string>): z.infer<Schema> {
  const parsed = schema.safeParse(query);
  if (!parsed.success) throw validationProblem(parsed.error, { data: query, schema, target: "query" });
  return parsed.data;
}

/** The API for ingest gateways; see protocol/live.ts. */
export const ingestRoutes = new Hono<LiveContext>()
  .use("/internal/ingest/*", requireGateway)
  .use("/internal/live/:sessionId/*", requireSession)
  .post("/internal/ingest/register", async (c) => {
    const gateway = await readCallback(Register, c.req.raw);
    const { gatewayId, startedAt: _, ...urls } = gateway;
    requireOwnId(c.var.gateway, gatewayId);
    requireOwnHosts(c.var.gateway, Object.values(urls));
    await registerGateway(c.env, gateway, new Date());
    return c.json({});
  })
  .post("/internal/ingest/passphrase", async (c) => {
    const request = await readCallback(AskPassphrase, c.req.raw);
    requireOwnId(c.var.gateway, request.gatewayId);
    return c.json(await answerPassphrase(c.env, request));
  })
  .post("/internal/ingest/authorize", async (c) => {
    const request = await readCallback(Authorize, c.req.raw);
    requireOwnId(c.var.gateway, request.gatewayId);
    return c.json(await authorize(c.env, request, publicUrlOf(c), new Date()));
  })
  .post("/internal/live/:sessionId/started", async (c) => {
    await startSession(c.env, c.var.grant, await readCallback(Started, c.req.raw));
    return c.json({});
  })
  .post("/internal/live/:sessionId/resume", async (c) => {
    return c.json(await resumeSession(c.env, c.var.grant, await readCallback(Opening, c.req.raw)));
  })
  .put("/internal/live/:sessionId/init/:rendition/:version{[0-9]{1,6}}", async (c) => {
    const format = formatOfInit(validQuery(InitQuery, c.req.query()));
    const bytes = await readBytes(c.req.raw, MAX_INIT_BYTES);
    const { rendition, version } = c.req.param();
    await storeInit(c.env, c.var.grant, { rendition, version: Number(version) }, bytes, format);
    return c.json({});
  })
  .put("/internal/live/:sessionId/parts/:rendition/:msn{[0-9]{1,9}}/:part{[0-9]{1,4}}", async (c) => {
    const facts = validQuery(PartQuery, c.req.query());
    const bytes = await readBytes(c.req.raw, MAX_PART_BYTES + facts.captions);
    const { rendition, msn, part } = c.req.param();
    const place = { rendition, msn: Number(msn), part: Number(part) };
    return c.json(await storePart(c.env, c.var.grant, place, facts, bytes));
  })
  .post("/internal/live/:sessionId/gap", async (c) => {
    return c.json(await recordGap(c.env, c.var.grant, await readCallback(Gap, c.req.raw)));
  })
  .post("/internal/live/:sessionId/dropped", async (c) => {
    return c.json(await dropRung(c.env, c.var.grant, await readCallback(Dropped, c.req.raw)));
  })
  .put("/internal/live/:sessionId/thumbnail", async (c) => {
    const { capturedAt } = validQuery(ThumbnailQuery, c.req.query());
    const bytes = await readBytes(c.req.raw, MAX_THUMBNAIL_BYTES);
    await storeThumbnail(c.env, c.var.grant, capturedAt, bytes);
    return c.json({});
  })
  .post("/internal/live/:sessionId/heartbeat", async (c) => {
    const heartbeat = await readCallback(Heartbeat, c.req.raw);
    return c.json(await reportHeartbeat(c.env, c.var.grant, heartbeat, Date.now()));
  })
  .post("/internal/live/:sessionId/ended", async (c) => {
    const { reason } = await readCallback(Ended, c.req.raw);
    await endConnection(c.env, c.var.grant, reason);
    return c.json({});
  });
