import { createMiddleware } from "hono/factory";
import {
  type GatewayClaims,
  gatewayCredential,
  hostOf,
  readGatewayCredential,
} from "../../../protocol/gateway-credential.ts";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import { secretList } from "../../../protocol/secrets.ts";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { bearerOf } from "../../platform/http/requests.ts";
import type { AppContext } from "../../platform/http/router.ts";
import type { Register } from "../../../protocol/live.ts";
import { openDatabase } from "../../platform/database.ts";
import { saveGateway } from "../streams/repository.ts";

/** Hono's context behind `requireGateway`. */
export interface GatewayContext {
  Bindings: AppContext["Bindings"];
  Variables: AppContext["Variables"] & { gateway: GatewayClaims };
}

/** The claims of a gateway's credential; null when it is not genuine, or revoked. @throws {UnusableSecret} */
function gatewayOf(env: Env, credential: string): GatewayClaims | null {
  const secrets = secretList("ENCODER_SECRET", env.ENCODER_SECRET);
  const claims = readGatewayCredential(credential);
  if (claims === null || revokedGateways(env).includes(claims.id)) return null;
  const { id, hosts } = claims;
  const isGenuine = secrets.some((secret) => isSameSecret(credential, gatewayCredential(secret, id, hosts)));
  return isGenuine ? { id, hosts } : null;
}

const revokedGateways = (env: Env): string[] => (env.REVOKED_GATEWAYS ?? "").split(",").map((id) => id.trim());

/** Requires a gateway's credential. */
export const requireGateway = createMiddleware<GatewayContext>(async (c, next) => {
  const gateway = gatewayOf(c.env, bearerOf(c));
  if (gateway === null) {
    logWarning("gateway.refused", { path: c.req.path, requestId: c.var.requestId });
    throw new Problem("unauthorized", "a gateway sends its credential as a bearer token");
  }
  c.set("gateway", gateway);
  await next();
});

/** @throws {Problem} forbidden, when a gateway uses the id of another one */
export function requireOwnId({ id }: GatewayClaims, claimedId: string): void {
  if (id !== claimedId) throw new Problem("forbidden", "the credential is another gateway's");
}

/**
 * Requires addresses on hosts that the credential lists. Streams show these addresses, with keys, to their owners.
 *
 * @throws {Problem} forbidden, when an address has a host that the credential does not list
 */
export function requireOwnHosts({ hosts }: GatewayClaims, urls: readonly (string | null)[]): void {
  for (const url of urls)
    if (url !== null && !hosts.includes(hostOf(url)))
      throw new Problem("forbidden", `the credential was not made for the host ${hostOf(url)}`);
}

/** Tolerated clock skew of a gateway. The newest gateway is preferred, so a start time in the future is rejected. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Records where broadcasters reach a gateway. @throws {Problem} validation_failed */
export async function registerGateway(
  env: Env,
  { gatewayId: id, startedAt, ...urls }: Register,
  now: Date,
): Promise<void> {
  if (startedAt > now.getTime() + CLOCK_TOLERANCE_MS)
    throw new Problem("validation_failed", "startedAt is in the future");
  await saveGateway(openDatabase(env.DB), { id, ...urls, startedAt: new Date(startedAt), heardAt: now });
}
