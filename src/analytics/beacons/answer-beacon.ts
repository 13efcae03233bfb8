import { logError, log } from "../../platform/log.ts";

const CORS = { "access-control-allow-origin": "*", "cache-control": "no-store" };
const answer = (status: number) => new Response(null, { status, headers: CORS });

/**
 * Answers a report of a player. It is always 200, because players can do nothing about what cannot be used; it is counted and logged.
 * 503 when the report could not be stored: players then send it again.
 *
 * @param key names the workspace or the playback ID, as the sender states it
 */
export async function answerBeacon(key: string, taken: Promise<Record<string, number>>): Promise<Response> {
  const refused = await taken.catch((error: unknown) => {
    logError("beacon.failed", { error: String(error) });
    return null;
  });
  if (refused === null) return answer(503);
  if (Object.keys(refused).length > 0) log("beacon.refused", { key: key.slice(0, 64), refused });
  return answer(200);
}

export const beaconPreflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "Content-Type",
      "access-control-max-age": "86400",
    },
  });
