import { sql } from "drizzle-orm";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { openEngine } from "../engines/open-engine.ts";
import { ALL } from "../questions/group-key.ts";
import { readFilters } from "../questions/scope.ts";
import { alertEvent } from "./alert-event.ts";
import { MEASURED } from "./measured.ts";
import { BUCKET_MS, type Bucket, decide, lastBucketEndMs } from "./decide.ts";
import { type AlertRule, findDueAlerts, postponeAlert, storeEvaluation } from "./repository.ts";

/** An evaluation takes two to five of an invocation's subrequests. The next run, a minute later, continues with the rest. */
const ALERTS_PER_RUN = 150;
const AT_ONCE = 10;

/**
 * Evaluates the alerts whose last bucket has not been evaluated. Repeatable: a bucket is evaluated once per alert, and the event's id is
 * derived from both. After an outage only the last bucket is evaluated. An alert that cannot be evaluated is tried again after all others.
 */
export async function evaluateAlerts(env: Env, now: Date): Promise<void> {
  const bucketEndMs = lastBucketEndMs(now.getTime());
  const due = await findDueAlerts(openDatabase(env.DB), bucketEndMs, ALERTS_PER_RUN);
  for (let at = 0; at < due.length; at += AT_ONCE)
    await Promise.all(
      due.slice(at, at + AT_ONCE).map(async (rule) => {
        try {
          await evaluateAlert(env, rule, bucketEndMs, now);
        } catch (error) {
          logWarning("alert.not_evaluated", { alertId: rule.id, ...errorFields(error) });
          await postponeAlert(openDatabase(env.DB), rule, bucketEndMs).catch((failure: unknown) =>
            logWarning("alert.not_postponed", { alertId: rule.id, ...errorFields(failure) }),
          );
        }
      }),
    );
}

async function evaluateAlert(env: Env, rule: AlertRule, endMs: number, now: Date): Promise<void> {
  const bucket = await figuresOf(env, rule, endMs, now.getTime());
  const { state, event } = decide(rule, rule, bucket);
  const found = {
    status: state.status,
    triggeredAtMs: state.triggeredAtMs,
    healthyBuckets: state.healthyBuckets,
    evaluatedUntilMs: endMs,
    lastViews: bucket.views,
    lastValue: bucket.value,
  };
  const update = storeEvaluation(openDatabase(env.DB), rule, found);
  if (event === null) return void (await update);
  const id = await derivedId("alert", rule.id, event, endMs);
  const announced = alertEvent(rule, event, bucket, id, now.getTime());
  const { isNew, wake } = await commitWithEvents(env, [update], [{ event: announced, onlyIf: sql`changes() > 0` }]);
  if (isNew[0] !== true) return;
  log(`alert.${event}`, { alertId: rule.id, workspaceId: rule.workspaceId, value: bucket.value, views: bucket.views });
  await wake();
}

async function figuresOf(env: Env, rule: AlertRule, endMs: number, nowMs: number): Promise<Bucket> {
  const scope = {
    fromMs: endMs - BUCKET_MS,
    toMs: endMs,
    filters: readFilters(rule.filters, { filterby: "filters" }),
  };
  const engine = await openEngine(env, rule.workspaceId, nowMs);
  const [all] = await engine.group({ scope, metric: MEASURED[rule.metric].metric, measurement: "avg", key: ALL });
  return { endMs, views: all?.views ?? 0, value: all?.value ?? null };
}
