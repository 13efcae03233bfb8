import type { Env } from "../../platform/env.ts";
import { errorFields, log, logError, logWarning } from "../../platform/log.ts";
import { monthOf } from "../store/months.ts";
import { viewStore } from "../store/store-calls.ts";
import { PendingRefusals, type Refused } from "./refusals.ts";

const CORS = { "access-control-allow-origin": "*", "cache-control": "no-store" };
const answer = (status: number) => new Response(null, { status, headers: CORS });

/** What became of a report. */
export interface Taken {
  /** Null = no known workspace, or one that was not looked up because there were too many requests. */
  workspaceId: string | null;
  /** How often each reason for a refusal occurred. */
  refused: Refused;
}

const pending = new PendingRefusals();

/**
 * Answers a report of a player with 200, even if parts of it are unusable: players cannot correct them, so they are counted and logged.
 * Answers 503 when the report could not be stored, or begins a view beyond the limit of new ones: players then send it again.
 *
 * @param key names the workspace or the playback ID, as the sender states it
 */
export async function answerBeacon(env: Env, key: string, taking: Promise<Taken>): Promise<Response> {
  const taken = await taking.catch((error: unknown) => {
    logError("beacon.failed", { ...errorFields(error) });
    return null;
  });
  if (taken === null) return answer(503);
  const { workspaceId, refused } = taken;
  const isUnknown = workspaceId === null && refused.too_many_requests === undefined;
  const all = isUnknown ? { ...refused, unknown_workspace: 1 } : refused;
  if (Object.keys(all).length > 0) logRefused(key, all, Date.now());
  if (workspaceId !== null) await storeRefusals(env, workspaceId, refused, Date.now());
  return answer(refused.too_many_new_views === undefined ? 200 : 503);
}

/** Refused reports that an isolate logs in a minute. All are counted in the store; anybody can send them. */
const LOGGED_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const logged = { sinceMs: 0, count: 0 };

function logRefused(key: string, refused: object, nowMs: number): void {
  if (nowMs - logged.sinceMs >= MINUTE_MS) Object.assign(logged, { sinceMs: nowMs, count: 0 });
  logged.count += 1;
  if (logged.count <= LOGGED_PER_MINUTE) log("beacon.refused", { key: key.slice(0, 64), refused });
}

async function storeRefusals(env: Env, workspaceId: string, refused: Refused, atMs: number): Promise<void> {
  const counts = pending.take(workspaceId, refused, atMs);
  if (counts === null) return;
  await viewStore(env, { workspaceId, month: monthOf(atMs) })
    .addRefusals(counts, atMs)
    .catch((error: unknown) => logWarning("beacon.refusals_lost", { workspaceId, ...errorFields(error) }));
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
