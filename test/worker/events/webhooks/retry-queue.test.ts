import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { commitWithEvents, sweepDeliveries } from "../../../../src/events/webhooks/index.ts";
import { enqueueDeliveries, MAX_DELAY_SECONDS } from "../../../../src/events/webhooks/fan-out/delivery-messages.ts";
import { deliveries } from "../../../../src/events/webhooks/records/tables.ts";
import worker from "../../../../src/worker.ts";
import { newWorkspace } from "../../workspace.ts";
import { receiverUrl, seenAt } from "./webhook-helpers.ts";
import { addWebhook, deliveriesOf, someEvent, until } from "./webhook-rows.ts";

const db = openDatabase(env.DB);
/** The prototype of all queue bindings, so that the sends of Durable Objects are observed too. */
const queueMethods = Object.getPrototypeOf(env.DELIVERIES) as Queue;
const senderOf = (webhookId: string) => env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(webhookId));
const alarmOf = (webhookId: string) => runInDurableObject(senderOf(webhookId), (_, { storage }) => storage.getAlarm());

afterEach(() => vi.restoreAllMocks());

/** A webhook whose endpoint always answers 500, after the first attempt of one event, with the sender at rest. */
async function afterFirstFailure() {
  const { id: workspaceId } = await newWorkspace();
  const url = receiverUrl("/status/500");
  const webhookId = await addWebhook(workspaceId, { url });
  const event = someEvent(workspaceId);
  const { wake } = await commitWithEvents(env, [], [{ event }]);
  await wake();
  const [delivery] = await until(
    () => deliveriesOf(webhookId),
    (rows) => rows[0]?.attempts === 1,
  );
  const dueAtMs = delivery!.nextAttemptAt!.getTime();
  await until(
    () => alarmOf(webhookId),
    (alarmAtMs) => alarmAtMs === dueAtMs + 15_000,
  );
  return { webhookId, eventId: event.id, url };
}

const attemptsMade = async (url: string) => (await seenAt(url)).length;
const makeDue = (webhookId: string) =>
  db.update(deliveries).set({ nextAttemptAt: new Date() }).where(eq(deliveries.webhookId, webhookId));
const untilAttempts = (webhookId: string, count: number) =>
  until(
    () => deliveriesOf(webhookId),
    (rows) => rows[0]!.attempts === count,
  );

describe("the retry of a failed attempt", () => {
  test("is a delayed message of ids, and the alarm is set 15 s behind it", async () => {
    const sendBatch = vi.spyOn(queueMethods, "sendBatch");
    const { webhookId, eventId } = await afterFirstFailure();
    const sent = sendBatch.mock.calls.flatMap(([messages]) => [...messages]);
    const retries = sent.filter(({ delaySeconds }) => delaySeconds !== 0);
    expect(retries).toEqual([
      { body: { eventId, webhookIds: [webhookId] }, delaySeconds: expect.any(Number) as number },
    ]);
    expect(retries[0]!.delaySeconds).toBeGreaterThanOrEqual(4); // 5 s, ± 10 %, less the time for recording
    expect(retries[0]!.delaySeconds).toBeLessThanOrEqual(6);
  });

  test("is made by the queue alone (takes 5 s: the delay of the real queue)", async () => {
    const consume = vi.spyOn(worker, "queue");
    const { webhookId, eventId, url } = await afterFirstFailure();
    await runInDurableObject(senderOf(webhookId), (_, { storage }) => storage.deleteAlarm());
    const before = consume.mock.calls.length;
    await untilAttempts(webhookId, 2);
    const bodies = consume.mock.calls.slice(before).flatMap(([{ messages }]) => messages.map(({ body }) => body));
    expect(bodies).toContainEqual({ eventId, webhookIds: [webhookId] });
    expect(await attemptsMade(url)).toBe(2);
  });

  test("is made once when its message arrives several times (takes 5 s: the delay of the real queue)", async () => {
    const { webhookId, eventId, url } = await afterFirstFailure();
    await makeDue(webhookId);
    const message = { eventId, webhookIds: [webhookId], delaySeconds: 0 };
    const consume = vi.spyOn(worker, "queue");
    await enqueueDeliveries(env, [message, message]);
    await enqueueDeliveries(env, [message]);
    await untilAttempts(webhookId, 2);
    // All of these, and the delayed message of the first failure, have come.
    await until(
      async () => consume.mock.calls.flatMap(([{ messages }]) => messages.filter(({ body }) => isFor(body, eventId))),
      (messages) => messages.length === 4,
    );
    await until(
      () => alarmOf(webhookId),
      (alarmAtMs) => alarmAtMs !== null && alarmAtMs > Date.now() + 30_000,
    );
    expect(await attemptsMade(url)).toBe(2);
  });

  test("is made by the alarm when the queue takes no messages", async () => {
    vi.spyOn(queueMethods, "sendBatch").mockRejectedValue(new Error("queue is overloaded"));
    const { webhookId, url } = await afterFirstFailure();
    await makeDue(webhookId);
    expect(await runDurableObjectAlarm(senderOf(webhookId))).toBe(true);
    await untilAttempts(webhookId, 2);
    expect(await attemptsMade(url)).toBe(2);
  });

  test("is made by the cron when message and alarm are both lost", async () => {
    vi.spyOn(queueMethods, "sendBatch").mockRejectedValue(new Error("queue is overloaded"));
    const { webhookId, url } = await afterFirstFailure();
    await makeDue(webhookId);
    await runInDurableObject(senderOf(webhookId), (_, { storage }) => storage.deleteAlarm());
    await sweepDeliveries(env, new Date(Date.now() + 60_000));
    await untilAttempts(webhookId, 2);
    expect(await attemptsMade(url)).toBe(2);
  });

  test("stays pending when its message ends as a dead letter", async () => {
    const { webhookId, eventId } = await afterFirstFailure();
    const ack = vi.fn<() => void>();
    const message = { id: "1", timestamp: new Date(), attempts: 21, body: { eventId, webhookIds: [webhookId] } };
    const batch = {
      queue: "sluice-webhook-deliveries-dead",
      messages: [{ ...message, ack }],
    } as unknown as MessageBatch;
    await worker.queue(batch, env);
    expect(ack).toHaveBeenCalledOnce();
    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: "pending", attempts: 1 }]);
  });
});

test("more messages than a batch may hold are sent in several batches, each within Cloudflare's limits", async () => {
  const sendBatch = vi.spyOn(queueMethods, "sendBatch");
  const { id: workspaceId } = await newWorkspace();
  const webhookId = await addWebhook(workspaceId);
  const messages = Array.from({ length: 250 }, () => ({
    eventId: crypto.randomUUID(),
    webhookIds: Array.from({ length: 50 }, () => webhookId),
    delaySeconds: MAX_DELAY_SECONDS,
  }));
  await enqueueDeliveries(env, messages); // the bindings enforce the limits (test/worker/limits/cloudflare-limits.ts)
  expect(sendBatch.mock.calls.map(([batch]) => [...batch].length)).toEqual([100, 100, 50]);
});

const isFor = (body: unknown, eventId: string) => (body as { eventId?: string }).eventId === eventId;
