import { Hono } from "hono";
import { type SimulcastTargets, TargetState } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { readCallback } from "../../platform/http/read-json.ts";
import { type LiveContext, requireSession } from "../ingest/ingest-routes.ts";
import { callStream } from "../streams/stream-calls.ts";
import { findStream } from "../streams/repository.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { targetEvent } from "../streams/stream-event.ts";

const EVENT_OF = {
  starting: "video.live_stream.simulcast_target.starting",
  broadcasting: "video.live_stream.simulcast_target.broadcasting",
} as const;

/**
 * The keys of other platforms are returned during the broadcast only; a token is valid for hours after its session.
 *
 * @throws {Problem} session_over
 */
async function requireCurrent(env: Env, { streamId, sessionId, connection }: SessionGrant): Promise<void> {
  const { isCurrent } = await callStream(env, streamId, "check", { sessionId, connection });
  if (!isCurrent) throw new Problem("session_over", "the session is over, or another broadcaster has taken its place");
}

/**
 * The state of a target may be reported after the broadcaster has left, because a short broadcast can end before its targets respond.
 *
 * @throws {Problem} session_over
 */
async function requireLatest(env: Env, { streamId, sessionId, connection }: SessionGrant): Promise<void> {
  const { isLatest } = await callStream(env, streamId, "check", { sessionId, connection });
  if (!isLatest) throw new Problem("session_over", "another session has begun");
}

/** Calls of a gateway about simulcast targets: it reads them and reports their states (protocol/live.ts). */
export const simulcastIngestRoutes = new Hono<LiveContext>()
  .use("/internal/live/:sessionId/*", requireSession)
  .get("/internal/live/:sessionId/targets", async (c) => {
    await requireCurrent(c.env, c.var.grant);
    const record = await findStream(c.env, null, c.var.grant.streamId, { opens: "targets" });
    if (record === null) throw new Problem("session_over", "the stream is deleted");
    const enabled = record.targets.filter(({ isEnabled }) => isEnabled);
    return c.json<SimulcastTargets>({
      total: record.targets.length,
      targets: enabled.map(({ id, url, streamKey }) => ({ simulcastId: id, url, streamKey })),
      allowsPrivateNetwork: allowsPrivateNetwork(c.env),
    });
  })
  .post("/internal/live/:sessionId/target", async (c) => {
    const { eventId, simulcastId, state, at } = await readCallback(TargetState, c.req.raw);
    const { streamId, sessionId } = c.var.grant;
    await requireLatest(c.env, c.var.grant);
    const record = await findStream(c.env, null, streamId);
    const target = record?.targets.find(({ id }) => id === simulcastId);
    log("simulcast.target", { streamId, sessionId, simulcastId, state, isKnown: target !== undefined });
    if (target === undefined) return c.json({}); // removed in the meantime
    const event = targetEvent(EVENT_OF[state], target, at, eventId);
    const { wake } = await commitWithEvents(c.env, [], [{ event }]); // a repeated report is the same event
    c.executionCtx.waitUntil(wake());
    return c.json({});
  });
