import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import {
  AskPassphrase,
  Authorize,
  type AuthorizeAnswer,
  Ended,
  Heartbeat,
  type HeartbeatAnswer,
  type PassphraseAnswer,
  Register,
  Started,
} from "../../encoder/live/protocol.ts";
import { openDatabase } from "../database.ts";
import { log } from "../http/log.ts";
import { Problem } from "../http/problems.ts";
import { type AppContext, validationProblem } from "../http/router.ts";
import { authorize, passphraseOf } from "./authorize.ts";
import { isSameSecret } from "./ids.ts";
import { callMachine } from "./machine-calls.ts";
import { saveGateway, streamIdOfSession } from "./repository.ts";
import { isDueForRenewal, readSessionGrant, type SessionGrant, signSessionGrant } from "./session-token.ts";

export interface LiveContext {
  Bindings: AppContext["Bindings"];
  Variables: AppContext["Variables"] & { grant: SessionGrant };
}

const bearer = (header: string | undefined): string => /^Bearer (.+)$/.exec(header ?? "")?.[1] ?? "";

/** Gateways know the deployment's secret. */
const requireGateway = createMiddleware<LiveContext>(async (c, next) => {
  if (!isSameSecret(bearer(c.req.header("authorization")), c.env.ENCODER_SECRET)) {
    log("gateway.refused", { path: c.req.path, requestId: c.var.requestId });
    throw new Problem("unauthorized", "gateways send the encoder secret as a bearer token");
  }
  await next();
});

/** A request of a session carries the token that its broadcaster's authorization brought. */
export const requireSession = createMiddleware<LiveContext>(async (c, next) => {
  const sessionId = c.req.param("sessionId") ?? "";
  const token = bearer(c.req.header("authorization"));
  const grant = await readSessionGrant(c.env.JOB_SECRET, token, sessionId, Date.now());
  if (typeof grant === "string") {
    // Who holds no good token is not believed whose stream it is.
    const streamId = await streamIdOfSession(openDatabase(c.env.DB), sessionId);
    const { method, path } = c.req;
    log("live.token_refused", { streamId, sessionId, reason: grant, method, path, requestId: c.var.requestId });
    const isKnown = grant === "foreign" || grant === "expired";
    throw new Problem(isKnown ? "forbidden" : "unauthorized", `the session token is ${grant}`);
  }
  c.set("grant", grant);
  await next();
});

async function readBody<T extends z.ZodType>(schema: T, request: { json(): Promise<unknown> }): Promise<z.infer<T>> {
  const body = await request.json().catch(() => null);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw validationProblem(parsed.error, body);
  return parsed.data;
}

/** What ingest gateways call; see encoder/live/protocol.ts. */
export const ingestRoutes = new Hono<LiveContext>()
  .use("/internal/ingest/*", requireGateway)
  .use("/internal/live/:sessionId/*", requireSession)
  .post("/internal/ingest/register", async (c) => {
    const { gatewayId: id, startedAt, ...urls } = await readBody(Register, c.req);
    await saveGateway(openDatabase(c.env.DB), { id, ...urls, startedAt: new Date(startedAt), heardAt: new Date() });
    return c.json({});
  })
  .post("/internal/ingest/passphrase", async (c) => {
    const answer: PassphraseAnswer = await passphraseOf(c.env, await readBody(AskPassphrase, c.req));
    return c.json(answer);
  })
  .post("/internal/ingest/authorize", async (c) => {
    const publicUrl = c.env.PUBLIC_URL || new URL(c.req.url).origin;
    const request = await readBody(Authorize, c.req);
    const answer: AuthorizeAnswer = await authorize(c.env, request, publicUrl, new Date());
    return c.json(answer);
  })
  .post("/internal/live/:sessionId/started", async (c) => {
    const facts = await readBody(Started, c.req);
    const { streamId, sessionId, connection } = c.var.grant;
    const { isOver } = await callMachine(c.env, streamId, "started", { sessionId, connection, ...facts });
    if (isOver) throw new Problem("session_over", "the session is over, or another broadcaster has taken its place");
    return c.json({});
  })
  .post("/internal/live/:sessionId/heartbeat", async (c) => {
    const heartbeat = await readBody(Heartbeat, c.req);
    const { streamId, sessionId, connection } = c.var.grant;
    const answer = await callMachine(c.env, streamId, "heartbeat", { sessionId, connection, ...heartbeat });
    const renewed = answer.continue && isDueForRenewal(c.var.grant, Date.now());
    if (!renewed) return c.json<HeartbeatAnswer>(answer);
    const token = await signSessionGrant(c.env.JOB_SECRET, { sessionId, streamId, connection }, Date.now());
    return c.json<HeartbeatAnswer>({ ...answer, token });
  })
  .post("/internal/live/:sessionId/ended", async (c) => {
    const { reason } = await readBody(Ended, c.req);
    const { streamId, sessionId, connection } = c.var.grant;
    log("live.broadcaster_left", { streamId, sessionId, reason });
    await callMachine(c.env, streamId, "ended", { sessionId, connection });
    return c.json({});
  });
