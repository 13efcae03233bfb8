import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { monthsBetween } from "../store/months.ts";
import { retentionMs } from "../store/retention.ts";
import { viewStore, type Forgotten } from "../store/store-calls.ts";

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Deletes the views of a viewer, by the integrator's id or the SDK's. Each store deletes some at once and the rest by its alarm. Stores also refuse
 * views that began before now and are reported later, so the store of the month that begins within the hour is called too.
 */
export async function forgetViewer(env: Env, workspaceId: string, viewerId: string, nowMs: number): Promise<Forgotten> {
  // A store deletes expired views once a day.
  const months = monthsBetween(nowMs - retentionMs(env) - 2 * DAY_MS, nowMs + HOUR_MS);
  const answers = await Promise.all(
    months.map((month) => viewStore(env, { workspaceId, month }).forgetViewer(viewerId)),
  );
  const sum = (name: keyof Forgotten) => answers.reduce((total, answer) => total + answer[name], 0);
  const forgotten = { deletedViews: sum("deletedViews"), remainingViews: sum("remainingViews") };
  log("viewer.forget_requested", { workspaceId, ...forgotten });
  return forgotten;
}
