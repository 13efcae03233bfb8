import { commit, openDatabase } from "../../platform/database.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { checkAlert } from "./check-alert.ts";
import { lastBucketEndMs } from "./decide.ts";
import { type AlertRule, countAlerts, insertAlert } from "./repository.ts";
import type { CreateAlert } from "./schemas.ts";
import { toAlert } from "./to-alert.ts";

/** Each alert is evaluated every five minutes. */
const ALERTS_PER_WORKSPACE = 50;

/**
 * Creates an alert. It is first evaluated for the next bucket to become final.
 *
 * @throws {Problem} alert_limit_reached; validation_failed
 */
export async function createAlert(body: CreateAlert, { env, workspaceId, now, keep }: CreateContext) {
  checkAlert(body);
  const db = openDatabase(env.DB);
  if ((await countAlerts(db, workspaceId)) >= ALERTS_PER_WORKSPACE)
    throw new Problem("alert_limit_reached", `a workspace has at most ${ALERTS_PER_WORKSPACE} alerts`);
  const rule: AlertRule = {
    ...body,
    id: crypto.randomUUID(),
    workspaceId,
    createdAt: now,
    updatedAt: now,
    status: "ok",
    triggeredAtMs: null,
    healthyBuckets: 0,
    evaluatedUntilMs: lastBucketEndMs(now.getTime()),
    lastViews: null,
    lastValue: null,
  };
  const created = { id: rule.id, answer: success(toAlert(rule)) };
  await commit(env.DB, [insertAlert(db, rule), ...(await keep(created))]);
  log("alert.created", { alertId: rule.id, workspaceId });
  return created;
}
