import { z } from "zod";
import { openDatabase } from "../database.ts";
import type { Env } from "../env.ts";
import { livingGateways } from "./repository.ts";

const MAX_ASKED = 8;
const PATIENCE_MS = 1000;

const GatewayHealth = z.object({ broadcasts: z.number(), capacity: z.number() });

/**
 * The gateway for a pushed broadcast: the one with most places left. Its body can be passed on only once, so gateways that are gone or full
 * are found out before; the only one there is tells by its answer.
 *
 * @returns its address; null = there is no gateway, or none answers
 */
export async function chooseGateway(env: Env): Promise<string | null> {
  const living = await livingGateways(openDatabase(env.DB), new Date());
  const urls = living.map(({ httpUrl }) => httpUrl.replace(/\/+$/, ""));
  if (urls.length < 2) return urls[0] ?? null;
  const found = await Promise.all(
    urls.slice(0, MAX_ASKED).map(async (url) => ({ url, places: await placesLeft(env, url).catch(() => null) })),
  );
  const best = found.reduce((a, b) => ((b.places ?? -1) > (a.places ?? -1) ? b : a));
  return best.places === null ? null : best.url;
}

async function placesLeft(env: Env, url: string): Promise<number> {
  const response = await fetch(`${url}/health`, {
    headers: { authorization: `Bearer ${env.ENCODER_SECRET}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { broadcasts, capacity } = GatewayHealth.parse(await response.json());
  return capacity - broadcasts;
}
