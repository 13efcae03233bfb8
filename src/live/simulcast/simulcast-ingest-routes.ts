import { Hono } from "hono";
import { TargetState } from "../../../protocol/live.ts";
import { readCallback } from "../../platform/http/read-json.ts";
import { type LiveContext, requireSession } from "../ingest/session-auth.ts";
import { listTargets } from "./list-targets.ts";
import { reportTarget } from "./report-target.ts";

/** Routes for gateways: read simulcast targets and report their states (protocol/live.ts). */
export const simulcastIngestRoutes = new Hono<LiveContext>()
  .use("/internal/live/:sessionId/*", requireSession)
  .get("/internal/live/:sessionId/targets", async (c) => c.json(await listTargets(c.env, c.var.grant)))
  .post("/internal/live/:sessionId/target", async (c) => {
    const committed = await reportTarget(c.env, c.var.grant, await readCallback(TargetState, c.req.raw));
    if (committed !== null) c.executionCtx.waitUntil(committed.wake());
    return c.json({});
  });
