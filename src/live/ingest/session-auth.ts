import { createMiddleware } from "hono/factory";
import { openDatabase } from "../../platform/database.ts";
import { Problem } from "../../platform/http/problems.ts";
import { bearerOf } from "../../platform/http/requests.ts";
import { logWarning } from "../../platform/log.ts";
import { readSessionGrant, type SessionGrant } from "../sessions/session-token.ts";
import { streamIdOfSession } from "../streams/repository.ts";
import type { GatewayContext } from "./gateways.ts";

/** Hono's context behind `requireSession`. */
export interface LiveContext {
  Bindings: GatewayContext["Bindings"];
  Variables: GatewayContext["Variables"] & { grant: SessionGrant };
}

/** Requires the session token that the broadcaster's authorization returned. */
export const requireSession = createMiddleware<LiveContext>(async (c, next) => {
  const sessionId = c.req.param("sessionId") ?? "";
  const grant = await readSessionGrant(c.env.JOB_SECRET, bearerOf(c), sessionId, Date.now());
  if (typeof grant === "string") {
    // The stream is looked up, because the claims of a refused token are not trusted.
    const streamId = await streamIdOfSession(openDatabase(c.env.DB), sessionId);
    const { method, path } = c.req;
    logWarning("live.token_refused", { streamId, sessionId, reason: grant, method, path, requestId: c.var.requestId });
    const isGenuine = grant === "foreign" || grant === "expired";
    throw new Problem(isGenuine ? "forbidden" : "unauthorized", `the session token is ${grant}`);
  }
  c.set("grant", grant);
  await next();
});
