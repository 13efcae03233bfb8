import { z } from "zod";
import { pushToken } from "../../../protocol/gateway-credential.ts";
import { secretList } from "../../../protocol/secrets.ts";
import { openDatabase } from "../../platform/database.ts";
import { askWithSecrets } from "../../platform/crypto/encoder-secret.ts";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { livingGateways } from "../streams/repository.ts";

const MAX_ASKED = 8;
const HEALTH_TIMEOUT_MS = 1000;

const GatewayHealth = z.object({ broadcasts: z.number(), capacity: z.number() });

/** The gateway that a pushed broadcast is forwarded to, and the credentials for it. */
export interface PushTarget {
  url: string;
  authorization: string;
}

/**
 * Chooses the gateway with the most free slots for a pushed broadcast. The request body can be forwarded only once, so gateways are asked
 * first whether they are reachable and not full. A single gateway is not asked, because there is no choice (except during a secret rotation).
 *
 * @returns null when there is no gateway, or none answers
 * @throws {UnusableSecret}
 */
export async function chooseGateway(env: Env): Promise<PushTarget | null> {
  const living = await livingGateways(openDatabase(env.DB), new Date());
  const gateways = living.flatMap(({ id, httpUrl }) =>
    httpUrl === null ? [] : [{ id, url: httpUrl.replace(/\/+$/, "") }],
  );
  const secrets = secretList("ENCODER_SECRET", env.ENCODER_SECRET);
  const [only] = gateways;
  if (only === undefined) return null;
  if (gateways.length === 1 && secrets.length === 1)
    return { url: only.url, authorization: authorizationAt(only.id, secrets[0]) };
  const found = await Promise.all(gateways.slice(0, MAX_ASKED).map((gateway) => askGateway(env, gateway)));
  return found.reduce((a, b) => ((b?.places ?? -1) > (a?.places ?? -1) ? b : a));
}

const authorizationAt = (gatewayId: string, secret: string): string => `Bearer ${pushToken(secret, gatewayId)}`;

/** Null when the gateway does not answer. */
async function askGateway(
  env: Env,
  { id, url }: { id: string; url: string },
): Promise<(PushTarget & { places: number }) | null> {
  try {
    const { response, secret } = await askWithSecrets(env, (candidate) =>
      fetch(`${url}/health`, {
        headers: { authorization: authorizationAt(id, candidate) },
        signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      }),
    );
    const { broadcasts, capacity } = GatewayHealth.parse(await response.json());
    return { url, authorization: authorizationAt(id, secret), places: capacity - broadcasts };
  } catch (error) {
    logWarning("gateway.unreachable", { gatewayId: id, error: String(error) });
    return null;
  }
}
