import { createMiddleware } from "hono/factory";
import { gatewayCredential, gatewayIdOf } from "../../encoder/gateway-credential.ts";
import { secretList } from "../../encoder/secrets.ts";
import type { Env } from "../env.ts";
import { log } from "../http/log.ts";
import { Problem } from "../http/problems.ts";
import type { AppContext } from "../http/router.ts";
import { isSameSecret } from "./ids.ts";

/** Hono's context behind `requireGateway`. */
export interface GatewayContext {
  Bindings: AppContext["Bindings"];
  Variables: AppContext["Variables"] & { gatewayId: string };
}

export const bearer = (header: string | undefined): string => /^Bearer (.+)$/.exec(header ?? "")?.[1] ?? "";

/** The gateway that holds this credential; null when it is not genuine, or revoked. @throws {UnusableSecret} */
export function gatewayOf(env: Env, credential: string): string | null {
  const secrets = secretList("ENCODER_SECRET", env.ENCODER_SECRET);
  const gatewayId = gatewayIdOf(credential);
  if (gatewayId === null || revokedGateways(env).includes(gatewayId)) return null;
  const isGenuine = secrets.some((secret) => isSameSecret(credential, gatewayCredential(secret, gatewayId)));
  return isGenuine ? gatewayId : null;
}

const revokedGateways = (env: Env): string[] => (env.REVOKED_GATEWAYS ?? "").split(",").map((id) => id.trim());

/** A gateway shows the credential that was made for it. */
export const requireGateway = createMiddleware<GatewayContext>(async (c, next) => {
  const gatewayId = gatewayOf(c.env, bearer(c.req.header("authorization")));
  if (gatewayId === null) {
    log("gateway.refused", { path: c.req.path, requestId: c.var.requestId });
    throw new Problem("unauthorized", "a gateway sends its credential as a bearer token");
  }
  c.set("gatewayId", gatewayId);
  await next();
});

/** @throws {Problem} forbidden, when a gateway speaks for another one */
export function requireOwnId(ownId: string, claimedId: string): void {
  if (ownId !== claimedId) throw new Problem("forbidden", "the credential is another gateway's");
}
