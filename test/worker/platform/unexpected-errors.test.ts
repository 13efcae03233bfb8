/** The log line of an exception outside of requests says where it was thrown, and which task, timer or message it was. */
import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  env,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createApp, createFetch } from "../../../src/app.ts";
import { runCron } from "../../../src/cron.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { errorFields } from "../../../src/platform/log.ts";
import { Timers } from "../../../src/platform/machine/timers.ts";
import worker from "../../../src/worker.ts";

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => void vi.restoreAllMocks());

const lineOf = (event: string) => lines.find((line) => line["event"] === event);
const here = (name: string) => expect.stringMatching(new RegExp(`at (async )?${name} \\(.*unexpected-errors\\.test`));

function throwsInside(): never {
  throw new TypeError("no tracks");
}

test("a machine's timer", async () => {
  const stub = env.VIEW_STORE.get(env.VIEW_STORE.idFromName("timers that throw"));
  await runInDurableObject(stub, async (_, { storage }) => {
    const timers = new Timers<"poll">(storage, Date.now, () => ({ machine: "asset", id: "a" }));
    timers.schedule("poll", Date.now() - 1);
    await timers.runDue({ run: async () => throwsInside() });
    await storage.deleteAlarm();
  });
  expect(lineOf("machine.timer_failed")).toMatchObject({
    id: "a",
    timer: "poll",
    error: "TypeError: no tracks",
    stack: here("throwsInside"),
  });
});

test("work that a request leaves to `waitUntil`", async () => {
  const app = createApp();
  app.get("/later", (c) => {
    c.executionCtx.waitUntil(Promise.resolve().then(throwsInside));
    return c.text("done");
  });
  const context = createExecutionContext();
  const answer = await createFetch(app)(new Request("http://localhost:8787/later"), env, context);
  expect(await answer.text()).toBe("done");
  await expect(waitOnExecutionContext(context)).rejects.toThrow("no tracks");
  expect(lineOf("request.work_failed")).toMatchObject({
    level: "error",
    error: "TypeError: no tracks",
    stack: here("throwsInside"),
  });
});

test("a queue's message", async () => {
  const body = { assetId: crypto.randomUUID(), pass: 1 };
  const batch = createMessageBatch("sluice-purges", [{ id: "1", timestamp: new Date(), attempts: 1, body }]);
  const MEDIA = { list: () => throwsInside() } as unknown as R2Bucket;
  await worker.queue(batch, { ...env, MEDIA });
  expect(lineOf("purge.failed")).toMatchObject({
    assetId: body.assetId,
    error: "TypeError: no tracks",
    stack: here("throwsInside"),
  });
});

test("a batch whose consumer throws, by its queue; it is tried again", async () => {
  const batch = createMessageBatch("sluice-clips", [{ id: "1", timestamp: new Date(), attempts: 1, body: null }]);
  Object.defineProperty(batch.messages[0], "body", { get: throwsInside });
  await expect(worker.queue(batch, env)).rejects.toThrow("no tracks");
  expect(lineOf("queue.batch_failed")).toMatchObject({
    level: "error",
    queue: "sluice-clips",
    messages: 1,
    error: "TypeError: no tracks",
    stack: here("\\w+.throwsInside \\[as body\\]"),
  });
});

test("a task of the cron, by its name; the other tasks run", async () => {
  const broken = { ...env };
  Object.defineProperty(broken, "WEBHOOK_KEYS", { get: throwsInside });
  await worker.scheduled(createScheduledController({ scheduledTime: new Date(), cron: "* * * * *" }), broken);
  const failed = lines.filter((line) => line["event"] === "cron.task_failed");
  expect(failed.map(({ task }) => task)).toEqual(["resealSecrets", "resealCredentials", "sweepSecrets"]);
  expect(failed[0]).toMatchObject({
    error: "TypeError: no tracks",
    stack: here("Object.throwsInside \\[as WEBHOOK_KEYS\\]"),
  });
});

test("a task of the cron that throws before it waits for anything, by its name", async () => {
  const done = vi.fn<() => void>();
  await runCron(env, new Date(), { broken: throwsInside, done });
  expect(lineOf("cron.task_failed")).toMatchObject({ task: "broken", stack: here("throwsInside") });
  expect(done).toHaveBeenCalledOnce();
});

test("an error of the cron outside its tasks", async () => {
  const controller = createScheduledController({ scheduledTime: new Date(), cron: "* * * * *" });
  Object.defineProperty(controller, "scheduledTime", { get: throwsInside });
  await expect(worker.scheduled(controller, env)).rejects.toThrow("no tracks");
  expect(lineOf("cron.failed")).toMatchObject({ level: "error", error: "TypeError: no tracks" });
});

async function queriesNothing(): Promise<void> {
  await openDatabase(env.DB).run(sql`SELECT * FROM absent WHERE secret = ${"the parameter"}`);
}

test("a failed query is logged with its reason and its caller, and without its parameters", async () => {
  const error = await queriesNothing().catch((thrown: unknown) => thrown);
  const wrapped = new Error("not stored", { cause: error });
  expect(errorFields(error)).toEqual({
    error: "Error: D1_ERROR: no such table: absent: SQLITE_ERROR",
    stack: here("queriesNothing"),
  });
  expect(errorFields(wrapped).stack).toContain("Caused by: Error: D1_ERROR: no such table: absent");
  expect(JSON.stringify([errorFields(error), errorFields(wrapped)])).not.toContain("the parameter");
});
