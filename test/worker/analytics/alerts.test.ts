/** Alerts: their records, and the cron's announcements. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BUCKET_MS } from "../../../src/analytics/alerts/decide.ts";
import { evaluateAlerts } from "../../../src/analytics/alerts/evaluate-alerts.ts";
import type { AlertMetric } from "../../../src/analytics/alerts/measured.ts";
import { alertRules } from "../../../src/analytics/alerts/tables.ts";
import { EVENT_KINDS, events } from "../../../src/events/index.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { createWebhook, receiverUrl, seenAt } from "../events/webhooks/webhook-helpers.ts";
import { until } from "../events/webhooks/webhook-rows.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { type Alert, newAlert, someAlert } from "./alert-helpers.ts";
import { dataOf, sendView, storeView, TestPlayer } from "./beacon-helpers.ts";

const db = openDatabase(env.DB);
const SETTLED_MS = 120_000;

let workspace: TestWorkspace;
/** The end of the current bucket. */
let endMs: number;
beforeEach(async () => {
  workspace = await newWorkspace();
  await db.delete(alertRules);
  endMs = Math.ceil(Date.now() / BUCKET_MS) * BUCKET_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: endMs - BUCKET_MS / 2 });
});
afterEach(() => vi.useRealTimers());

/** These views end in the current bucket. @param failures of them end by an error */
async function haveViews(count: number, failures: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await storeView(workspace.id, "Harbour", {}, index < failures);
}

/** The cron has evaluated the current bucket, and the next one has begun. */
async function nextBucket(): Promise<void> {
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  endMs += BUCKET_MS;
  vi.setSystemTime(endMs - BUCKET_MS / 2);
}

async function announced(alert: Alert): Promise<{ type: string; data: Record<string, unknown>; id: string }[]> {
  const rows = await db.select().from(events).where(eq(events.objectId, alert.id)).orderBy(events.createdAt);
  return rows.map(({ type, body, id }) => ({
    type,
    id,
    data: (JSON.parse(`{${body}`) as { data: Record<string, unknown> }).data,
  }));
}
const typesOf = async (alert: Alert) => (await announced(alert)).map(({ type }) => type);
const found = (alert: Alert) => dataOf<Alert>(workspace, `alerts/${alert.id}`);

test("an alert is announced when it is triggered and when it has recovered, with the figures that decided", async () => {
  const alert = await newAlert(workspace, {
    thresholdValue: 0.2,
    minViews: 4,
    recoveryBucketCount: 1,
    severity: "high",
  });
  expect(alert).toMatchObject({ status: "ok", triggeredAt: null, lastBucket: null });
  await haveViews(4, 1);
  const bucketEnd = new Date(endMs).toISOString().replace("Z", "000Z");
  await nextBucket();
  expect(await found(alert)).toMatchObject({
    status: "triggered",
    triggeredAt: bucketEnd,
    lastBucket: { end: bucketEnd, views: 4, value: 0.25 },
  });
  await haveViews(5, 1);
  await nextBucket();
  expect(await found(alert)).toMatchObject({
    status: "ok",
    triggeredAt: bucketEnd,
    lastBucket: { views: 5, value: 0.2 },
  });

  const [triggered, recovered, ...more] = await announced(alert);
  expect(more).toEqual([]);
  expect(triggered).toMatchObject({
    type: "data.alert.triggered",
    data: { alertId: alert.id, name: "Errors", severity: "high", value: 0.25, views: 4, bucketEnd, filters: [] },
  });
  expect(recovered).toMatchObject({
    type: "data.alert.recovered",
    data: { value: 0.2, views: 5, triggeredAt: bucketEnd },
  });
  for (const { type, data } of [triggered!, recovered!])
    expect(() => EVENT_KINDS.find((kind) => kind.type === type)!.data.parse(data)).not.toThrow();
});

test("both events are delivered to a webhook of the workspace", async () => {
  const url = receiverUrl();
  await createWebhook(workspace, { url, eventTypes: ["data.alert.*"] });
  const alert = await newAlert(workspace, { recoveryBucketCount: 1 });
  await haveViews(1, 1);
  await nextBucket();
  await haveViews(1, 0);
  await nextBucket();
  vi.useRealTimers();
  const bodies = await until(
    async () => (await seenAt(url)).flatMap(({ body }) => (body.includes("data.alert.") ? [body] : [])),
    (seen) => seen.length >= 2,
  );
  expect(bodies.map((body) => JSON.parse(body) as object)).toEqual(
    expect.arrayContaining(
      ["triggered", "recovered"].map((status): unknown =>
        expect.objectContaining({ type: `data.alert.${status}`, status, object: { type: "alert", id: alert.id } }),
      ),
    ),
  );
});

test("views that players report trigger an alert, and the error rate is that of the API", async () => {
  const alert = await newAlert(workspace, { filters: ["player_name:site"], thresholdValue: 0.3 });
  const startMs = Date.now() - 20_000;
  for (const name of ["site", "site", "other"]) {
    const player = new TestPlayer(workspace.id);
    await sendView(workspace.id, player.completeView(startMs, { plna: name }));
  }
  const failing = new TestPlayer(workspace.id);
  const begin = failing.event("viewBegin", startMs, { plna: "site" });
  await sendView(workspace.id, [begin, failing.event("error", startMs + 9000, { plercd: "1", plerms: "broken" })]);
  const span = [endMs - BUCKET_MS, endMs].map((ms) => `timespan[]=${ms / 1000}`).join("&");
  const path = `metrics/playback_failure_percentage/overall?${span}&filterby[]=player_name:site`;
  const { value, totalViews } = await dataOf<{ value: number; totalViews: number }>(workspace, path);
  expect([value, totalViews]).toEqual([expect.closeTo(1 / 3), 3]);
  await nextBucket();
  expect(await found(alert)).toMatchObject({ status: "triggered", lastBucket: { views: 3, value } });
});

test("a bucket is evaluated once, by runs of the cron at the same time and by later ones", async () => {
  const alert = await newAlert(workspace, { recoveryBucketCount: 1, cooldownMinutes: 0 });
  await haveViews(2, 2);
  const run = (ms: number) => evaluateAlerts(env, new Date(endMs + SETTLED_MS + ms));
  await Promise.all([run(0), run(0), run(1)]);
  await run(60_000);
  await haveViews(50, 0); // late: they change figures that were already announced
  await run(120_000);
  expect(await typesOf(alert)).toEqual(["data.alert.triggered"]);
  expect(await found(alert)).toMatchObject({ status: "triggered", lastBucket: { views: 2, value: 1 } });
});

test("an evaluation whose commit fails is made again, and announces the alert once", async () => {
  const alert = await newAlert(workspace);
  await haveViews(1, 1);
  const batch = vi.spyOn(env.DB, "batch").mockRejectedValueOnce(new Error("the network is gone"));
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  expect(await typesOf(alert)).toEqual([]);
  batch.mockRestore();
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS + 60_000));
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS + 120_000));
  expect(await typesOf(alert)).toEqual(["data.alert.triggered"]);
});

test("an alert that is changed while it is evaluated is evaluated again by the changed rule", async () => {
  const alert = await newAlert(workspace);
  await haveViews(2, 1);
  const batch = env.DB.batch.bind(env.DB);
  const racing = vi.spyOn(env.DB, "batch").mockImplementationOnce(async (statements) => {
    vi.setSystemTime(Date.now() + 1);
    await workspace.request("PATCH", `/v1/data/alerts/${alert.id}`, { thresholdValue: 0.9 });
    return await batch(statements);
  });
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  expect(racing).toHaveBeenCalled();
  racing.mockRestore();
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS + 60_000));
  expect(await typesOf(alert)).toEqual([]);
  expect(await found(alert)).toMatchObject({ status: "ok", lastBucket: { views: 2, value: 0.5 } });
});

test("an evaluation that ends after the evaluation of a later bucket is dropped", async () => {
  const alert = await newAlert(workspace);
  await haveViews(2, 1);
  const batch = env.DB.batch.bind(env.DB);
  const late = vi.spyOn(env.DB, "batch").mockImplementationOnce(async (statements) => {
    await evaluateAlerts(env, new Date(endMs + SETTLED_MS + BUCKET_MS));
    return await batch(statements);
  });
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  expect(late).toHaveBeenCalled();
  late.mockRestore();
  expect(await typesOf(alert)).toEqual([]);
  expect((await found(alert)).lastBucket).toMatchObject({ views: 0 });
});

test("views of other buckets, of other workspaces and outside the filters are not counted", async () => {
  const alert = await newAlert(workspace, { filters: ["browser_name:Firefox"] });
  const everyBrowser = await newAlert(workspace);
  await storeView((await newWorkspace()).id, "Harbour", {}, true);
  await haveViews(3, 3); // in Chrome
  await nextBucket();
  expect((await found(alert)).lastBucket).toMatchObject({ views: 0, value: null });
  expect((await found(everyBrowser)).lastBucket).toMatchObject({ views: 3, value: 1 });
  await nextBucket();
  expect((await found(everyBrowser)).lastBucket).toMatchObject({ views: 0, value: null });
});

/** Values for the four views below. */
const COMPUTED: Record<AlertMetric, number> = {
  error_rate: 0.5,
  rebuffer_ratio: 0.05, // one of four views stalled for 2 s of 10 s
  video_startup_time: 400,
  exit_before_video_start: 0.25,
  video_startup_failure: 0.25,
};

test.each(Object.entries(COMPUTED))("%s is computed from the views of the bucket", async (metric, value) => {
  const alert = await newAlert(workspace, { metric, thresholdValue: 1 });
  const startMs = Date.now() - 20_000;
  const scripts: [name: string, fields?: object][][] = [
    [["viewBegin"], ["playing", { vetitofifr: 400 }], ["viewCompleted", { vewati: 10_000, verbdu: 2000, verbco: 1 }]],
    [["viewBegin"], ["playing", { vetitofifr: 400 }], ["error", { vewati: 10_000, plercd: 3 }]],
    [["viewBegin"], ["error", { plercd: 3 }]],
    [["viewBegin"], ["viewCompleted"]],
  ];
  for (const script of scripts) {
    const player = new TestPlayer(workspace.id);
    const events = script.map(([name, fields], index) => player.event(name, startMs + index * 5000, { ...fields }));
    await sendView(workspace.id, events);
  }
  await nextBucket();
  const { lastBucket } = await found(alert);
  expect(lastBucket).toEqual(expect.objectContaining({ views: 4, value: expect.closeTo(value, 6) as number }));
});

test("one run evaluates 150 alerts, and the next run continues with those that have waited longer", async () => {
  const others = await Promise.all(Array.from({ length: 3 }, () => newWorkspace()));
  for (const other of others) for (let made = 0; made < 50; made += 1) await newAlert(other);
  const last = await newAlert(workspace);
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS - BUCKET_MS)); // nothing is due yet
  expect((await found(last)).lastBucket).toBeNull();
  const evaluated = async () => {
    const lists = await Promise.all([workspace, ...others].map((one) => dataOf<Alert[]>(one, "alerts?limit=50")));
    return lists.flat().filter(({ lastBucket }) => lastBucket !== null).length;
  };
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  const first = await evaluated();
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  expect([first, await evaluated()]).toEqual([150, 151]);
});

test("alerts that cannot be evaluated take no places of others, and are tried again after them", async () => {
  const other = await newWorkspace();
  const broken = await Promise.all(Array.from({ length: 3 }, () => newWorkspace()));
  const failing: Alert[] = [];
  for (const one of broken) for (let made = 0; made < 50; made += 1) failing.push(await newAlert(one));
  await db.update(alertRules).set({ filters: "no list" as never }); // as a release with other filters could have stored them
  const alert = await newAlert(other);
  const last = () => dataOf<Alert>(other, `alerts/${alert.id}`);
  // They have waited longest, and take all places of the first run.
  await db.update(alertRules).set({ evaluatedUntilMs: endMs - BUCKET_MS });
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  expect((await last()).lastBucket).toMatchObject({ end: new Date(endMs).toISOString().replace("Z", "000Z") });
  await nextBucket();
  // In the next bucket they come last.
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS));
  expect((await last()).lastBucket).toMatchObject({ end: new Date(endMs).toISOString().replace("Z", "000Z") });
  // They are evaluated as soon as that is possible.
  await db.update(alertRules).set({ filters: [] });
  await evaluateAlerts(env, new Date(endMs + SETTLED_MS + 60_000));
  const [first] = failing;
  expect((await dataOf<Alert>(broken[0]!, `alerts/${first!.id}`)).lastBucket).toMatchObject({ views: 0 });
});

describe("the record", () => {
  test("is created with defaults, read, listed, changed and deleted", async () => {
    const alert = await newAlert(workspace);
    expect(alert).toMatchObject({
      ...someAlert,
      operator: ">",
      severity: "medium",
      cooldownMinutes: 30,
      recoveryBucketCount: 2,
      filters: [],
    });
    expect(await found(alert)).toEqual(alert);
    const other = await newAlert(workspace, { name: "Other", filters: ["!country:IT", "device_type:"] });
    expect(await dataOf<Alert[]>(workspace, "alerts")).toEqual(expect.arrayContaining([alert, other]));
    vi.setSystemTime(Date.now() + 1000);
    const path = `/v1/data/alerts/${alert.id}`;
    const changed = await workspace.request("PATCH", path, { severity: "low", filters: ["cdn:a"] });
    const { data } = await changed.json<{ data: Alert & { updatedAt: string; createdAt: string } }>();
    expect(data).toMatchObject({ ...someAlert, severity: "low", filters: ["cdn:a"] });
    expect(data.updatedAt > data.createdAt).toBe(true);
    expect((await workspace.request("DELETE", path)).status).toBe(200);
    for (const method of ["GET", "DELETE"]) expect((await workspace.request(method, path)).status).toBe(404);
  });

  test("is created once with an idempotency key", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const create = async () =>
      (await workspace.request("POST", "/v1/data/alerts", someAlert, headers)).json<{ data: Alert }>();
    const first = await create();
    expect(await create()).toEqual(first);
    expect(await dataOf<Alert[]>(workspace, "alerts")).toHaveLength(1);
  });

  test.each([
    [{ metric: "views" }, "metric"],
    [{ operator: "<" }, "operator"],
    [{ thresholdValue: 5 }, "thresholdValue"], // of a share
    [{ thresholdValue: -1 }, "thresholdValue"],
    [{ minViews: 0 }, "minViews"],
    [{ severity: "extreme" }, "severity"],
    [{ cooldownMinutes: 10_081 }, "cooldownMinutes"],
    [{ recoveryBucketCount: 0 }, "recoveryBucketCount"],
    [{ filters: ["video_title:Harbour"] }, "filters"],
    [{ filters: ["country"] }, "filters"],
    [{ name: "" }, "name"],
  ])("with %j is refused, and the answer names the field", async (wrong, field) => {
    const answer = await workspace.request("POST", "/v1/data/alerts", { ...someAlert, ...wrong });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(`"${field}`)]);
    const alert = await newAlert(workspace);
    const change = await workspace.request("PATCH", `/v1/data/alerts/${alert.id}`, wrong);
    expect([change.status, await change.text()]).toEqual([422, expect.stringContaining(`"${field}`)]);
    expect(await found(alert)).toEqual(alert);
  });

  test("whose metric is changed to one of another unit is refused without its threshold", async () => {
    const alert = await newAlert(workspace, { metric: "error_rate", thresholdValue: 0.05 });
    const path = `/v1/data/alerts/${alert.id}`;
    const refused = await workspace.request("PATCH", path, { metric: "video_startup_time" });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('"thresholdValue')]);
    expect(await found(alert)).toEqual(alert);
    for (const change of [{ metric: "rebuffer_ratio" }, { metric: "video_startup_time", thresholdValue: 3000 }])
      expect((await workspace.request("PATCH", path, change)).status).toBe(200);
  });

  test("is changed by concurrent requests as by sequential ones: no share gets a threshold in milliseconds", async () => {
    const alert = await newAlert(workspace, { metric: "video_startup_time", thresholdValue: 3000 });
    const changes = [{ metric: "error_rate", thresholdValue: 0.05 }, { thresholdValue: 4000 }, { severity: "low" }];
    const answers = await Promise.all(
      changes.map((change) => workspace.request("PATCH", `/v1/data/alerts/${alert.id}`, change)),
    );
    // The threshold alone is either replaced or refused.
    expect(answers.map(({ status }) => status)).toEqual([200, expect.toBeOneOf([200, 422]), 200]);
    expect(await found(alert)).toMatchObject({ metric: "error_rate", thresholdValue: 0.05, severity: "low" });
  });
});
