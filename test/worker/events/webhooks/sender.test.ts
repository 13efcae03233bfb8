import { createMessageBatch, env, getQueueResult, createExecutionContext, runInDurableObject } from "cloudflare:test";
import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { CATALOGUE, eventBytes } from "../../../../src/events/index.ts";
import { commitWithEvents, sweepDeliveries } from "../../../../src/events/webhooks/index.ts";
import { MAX_AT_ONCE } from "../../../../src/events/webhooks/sender/endpoint-health.ts";
import { nextAttemptAt } from "../../../../src/events/webhooks/sender/retry-schedule.ts";
import { deliveries } from "../../../../src/events/webhooks/records/tables.ts";
import { wakeSender } from "../../../../src/events/webhooks/fan-out/call-sender.ts";
import worker from "../../../../src/worker.ts";
import { newWorkspace } from "../../workspace.ts";
import { receivers, release, seenAt } from "./receivers.ts";
import {
  addWebhook,
  attemptsOf,
  deliveriesOf,
  eventsOf,
  SECRET,
  someEvent,
  until,
  webhookRow,
} from "./webhook-rows.ts";

const db = openDatabase(env.DB);
const DAY_MS = 24 * 3600_000;

/** A unique path at the receiver. */
const place = (behaviour: string) => {
  const path = `${behaviour}?of=${crypto.randomUUID()}`;
  return { path, url: `${receivers().plain}${path}` };
};

/** Announces an event and wakes its senders. */
async function announce(workspaceId: string, more: object = {}) {
  const event = someEvent(workspaceId, crypto.randomUUID(), more);
  const { wake } = await commitWithEvents(env, [], [{ event }]);
  await wake();
  return event;
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

async function hmac(secret: string, content: Uint8Array): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign("HMAC", key, content))));
}

describe("a delivery", () => {
  test("has the stored bytes and both signatures", async () => {
    const { id } = await newWorkspace();
    const { path, url } = place("/status/200");
    const webhookId = await addWebhook(id, { url, naming: "video" });
    const event = await announce(id);
    const [request] = await until(
      () => seenAt(path),
      (seen) => seen.length === 1,
    );
    const body = bytesOf(request!.bodyBase64);
    const [stored] = await eventsOf(event.objectId);
    expect(body).toEqual(eventBytes(stored!, "video"));
    expect(request!.method).toBe("POST");
    expect(request!.headers["content-type"]).toBe("application/json");
    expect(request!.headers["service-signature"]).toBe(await hmac(SECRET, body));
    const { "webhook-id": sent, "webhook-timestamp": timestamp, "webhook-signature": signature } = request!.headers;
    expect(sent).toBe(event.id);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    const content = new Uint8Array([...new TextEncoder().encode(`${sent}.${timestamp}.`), ...body]);
    expect(signature).toBe(`v1,${await hmac(SECRET, content)}`);
    const [delivery] = await until(
      () => deliveriesOf(webhookId),
      (rows) => rows[0]?.status === "delivered",
    );
    expect(delivery).toMatchObject({ attempts: 1, lastFailure: null, nextAttemptAt: null });
    expect(await attemptsOf(webhookId)).toMatchObject([{ number: 1, status: 200, failure: null }]);
    expect(await webhookRow(webhookId)).toMatchObject({ lastStatus: 200, lastFailure: null, failingSince: null });
  });

  test("is attempted once, however often its sender is woken", async () => {
    const { id } = await newWorkspace();
    const { path, url } = place("/status/200");
    const webhookId = await addWebhook(id, { url });
    for (let i = 0; i < 10; i += 1) await commitWithEvents(env, [], [{ event: someEvent(id) }]);
    await Promise.all(Array.from({ length: 20 }, () => wakeSender(env, webhookId)));
    await until(
      () => deliveriesOf(webhookId),
      (rows) => rows.every(({ status }) => status === "delivered"),
    );
    await Promise.all(Array.from({ length: 20 }, () => wakeSender(env, webhookId)));
    const seen = await seenAt(path);
    expect(seen).toHaveLength(10);
    expect(new Set(seen.map(({ headers }) => headers["webhook-id"])).size).toBe(10);
  });

  test("that fails waits for its next try, with the response in the log", async () => {
    const { id } = await newWorkspace();
    const { url } = place("/status/500");
    const webhookId = await addWebhook(id, { url: `${url}&body=no+room` });
    await announce(id);
    const [delivery] = await until(
      () => deliveriesOf(webhookId),
      (rows) => rows[0]?.attempts === 1,
    );
    expect(delivery).toMatchObject({ status: "pending", tries: 1, lastFailure: "bad_status" });
    const [attempt] = await attemptsOf(webhookId);
    expect(attempt).toMatchObject({ status: 500, failure: "bad_status", responseHead: "no room" });
    const waitMs = delivery!.nextAttemptAt!.getTime() - attempt!.startedAt.getTime();
    expect(waitMs).toBeGreaterThan(4000);
    expect(waitMs).toBeLessThan(8000);
    expect((await webhookRow(webhookId)).failingSince).toBeNull(); // one failure does not make an endpoint `failing`
  });

  test("is made while another endpoint of the workspace hangs", async () => {
    const { id } = await newWorkspace();
    const [silent, healthy] = [place("/silence"), place("/status/200")];
    await addWebhook(id, { url: silent.url });
    await addWebhook(id, { url: healthy.url });
    for (let i = 0; i < 12; i += 1) await announce(id);
    await until(
      () => seenAt(healthy.path),
      (seen) => seen.length === 12,
    );
    expect((await seenAt(silent.path)).length).toBeLessThanOrEqual(6); // no more at once
  });

  test("that a restart has interrupted is logged as interrupted and attempted again", async () => {
    const { id } = await newWorkspace();
    const { path, url } = place("/status/200");
    const webhookId = await addWebhook(id, { url });
    const event = someEvent(id);
    await commitWithEvents(env, [], [{ event }]);
    const stub = env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(webhookId));
    await runInDurableObject(stub, (_, state) => {
      const begun = { eventId: event.id, number: 1, schedule: 0, tries: 1, startedAtMs: Date.now() };
      state.storage.sql.exec("INSERT INTO attempts (event_id, begun) VALUES (?, ?)", event.id, JSON.stringify(begun));
    });
    await wakeSender(env, webhookId);
    await until(
      () => deliveriesOf(webhookId),
      (rows) => rows[0]?.status === "delivered",
    );
    expect(await attemptsOf(webhookId)).toMatchObject([
      { number: 1, failure: "interrupted", status: null },
      { number: 2, failure: null, status: 200 },
    ]);
    expect(await seenAt(path)).toHaveLength(1);
  });

  test("that was never handed to a sender is found by the cron", async () => {
    const { id } = await newWorkspace();
    const { path, url } = place("/status/200");
    await addWebhook(id, { url });
    await commitWithEvents(env, [], [{ event: someEvent(id) }]);
    await sweepDeliveries(env, new Date(Date.now() + 60_000));
    const seen = await until(
      () => seenAt(path),
      (requests) => requests.length > 0,
    );
    expect(seen).toHaveLength(1);
  });
});

describe("an endpoint", () => {
  test("that fails gets one probe, not all deliveries", async () => {
    const { id } = await newWorkspace();
    const { path, url } = place("/status/503");
    const webhookId = await addWebhook(id, { url });
    for (let i = 0; i < 30; i += 1) await commitWithEvents(env, [], [{ event: someEvent(id) }]);
    await wakeSender(env, webhookId);
    await until(
      () => attemptsOf(webhookId),
      (attempts) => attempts.length >= 3,
    );
    await wakeSender(env, webhookId);
    await until(
      () => webhookRow(webhookId),
      ({ failingSince }) => failingSince !== null,
    );
    // Those under way when it began to fail, and none after that before the first probe.
    expect((await seenAt(path)).length).toBeLessThanOrEqual(8);
    expect((await deliveriesOf(webhookId)).filter(({ attempts }) => attempts === 0).length).toBeGreaterThanOrEqual(22);
  });

  test("that answers 410 is disabled, its pending deliveries fail, and the other webhooks get an event", async () => {
    const { id } = await newWorkspace();
    const [gone, other] = [place("/status/410"), place("/status/200")];
    const webhookId = await addWebhook(id, { url: gone.url });
    await addWebhook(id, { url: other.url, matchedTypes: ["webhook.disabled"] });
    await announce(id);
    const [request] = await until(
      () => seenAt(other.path),
      (seen) => seen.length === 1,
    );
    const sent = JSON.parse(atob(request!.bodyBase64)) as { type: string; object: object; data: unknown };
    expect(sent).toMatchObject({ type: "webhook.disabled", object: { type: "webhook", id: webhookId } });
    expect(CATALOGUE["webhook.disabled"].data.parse(sent.data)).toMatchObject({ webhookId, reason: "gone" });
    expect(await webhookRow(webhookId)).toMatchObject({ disabledReason: "gone", lastStatus: 410 });
    const event = someEvent(id);
    await commitWithEvents(env, [], [{ event }]);
    await wakeSender(env, webhookId);
    const rows = await deliveriesOf(webhookId);
    expect(rows.map(({ status, lastFailure }) => [status, lastFailure])).toEqual([
      ["failed", "gone"],
      ["failed", "webhook_disabled"],
    ]);
    expect(await seenAt(gone.path)).toHaveLength(1);
  });

  test("keeps its other deliveries when one has failed for three days, and the other webhooks get an event", async () => {
    const { id } = await newWorkspace();
    const [broken, other] = [place("/status/500"), place("/status/200")];
    const webhookId = await addWebhook(id, { url: broken.url });
    await addWebhook(id, { url: other.url, matchedTypes: ["webhook.delivery.exhausted"] });
    const event = someEvent(id);
    await commitWithEvents(env, [], [{ event }]);
    const old = { tries: 13, attempts: 13, firstTriedAt: new Date(Date.now() - 3 * DAY_MS) };
    await db
      .update(deliveries)
      .set(old)
      .where(and(eq(deliveries.eventId, event.id), eq(deliveries.webhookId, webhookId)));
    await wakeSender(env, webhookId);
    const [request] = await until(
      () => seenAt(other.path),
      (seen) => seen.length === 1,
    );
    const sent = JSON.parse(atob(request!.bodyBase64)) as { data: unknown };
    expect(CATALOGUE["webhook.delivery.exhausted"].data.parse(sent.data)).toMatchObject({
      webhookId,
      eventId: event.id,
      eventType: event.type,
      attempts: 14,
      lastFailure: { reason: "bad_status", status: 500 },
    });
    expect(await deliveriesOf(webhookId)).toMatchObject([
      { status: "failed", lastFailure: "bad_status", attempts: 14 },
    ]);
    expect(
      nextAttemptAt({ tries: 14, firstTriedAtMs: 0, nowMs: 3 * DAY_MS, retryAfterMs: null, random: 0.5 }),
    ).toBeNull();
  });
});

describe("the queue", () => {
  const message = (body: unknown) => ({ id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body });
  const run = async (queue: string, bodies: unknown[]) => {
    const batch = createMessageBatch(queue, bodies.map(message));
    await worker.queue(batch, env);
    return await getQueueResult(batch, createExecutionContext());
  };

  test("wakes the senders of an event; a repeated message sends nothing, and a malformed one is acknowledged", async () => {
    const { id } = await newWorkspace();
    const { path, url } = place("/status/200");
    const webhookId = await addWebhook(id, { url });
    const event = someEvent(id);
    await commitWithEvents(env, [], [{ event }]);
    const handOver = { eventId: event.id, webhookIds: [webhookId] };
    const result = await run("sluice-webhook-deliveries", [handOver, handOver, { nonsense: true }]);
    expect(result.explicitAcks).toHaveLength(3);
    await until(
      () => deliveriesOf(webhookId),
      (rows) => rows[0]?.status === "delivered",
    );
    await run("sluice-webhook-deliveries", [handOver]);
    expect(await seenAt(path)).toHaveLength(1);
  });

  test("ends a delivery that was never handed over as failed, once, with an event for the other webhooks", async () => {
    const { id } = await newWorkspace();
    const other = place("/status/200");
    const webhookId = await addWebhook(id);
    await addWebhook(id, { url: other.url, matchedTypes: ["webhook.delivery.exhausted"] });
    const event = someEvent(id);
    await commitWithEvents(env, [], [{ event }]);
    const handOver = { eventId: event.id, webhookIds: [webhookId] };
    const result = await run("sluice-webhook-deliveries-dead", [handOver, handOver]);
    expect(result.explicitAcks).toHaveLength(2);
    expect(await deliveriesOf(webhookId)).toMatchObject([{ status: "failed", lastFailure: "not_handed_over" }]);
    const seen = await until(
      () => seenAt(other.path),
      (requests) => requests.length >= 1,
    );
    expect(seen).toHaveLength(1);
    const sent = JSON.parse(atob(seen[0]!.bodyBase64)) as { data: unknown };
    expect(CATALOGUE["webhook.delivery.exhausted"].data.parse(sent.data)).toMatchObject({ attempts: 0 });
  });
});

test("nothing is sent with the old settings once a change of the webhook is confirmed", async () => {
  const workspace = await newWorkspace();
  // The old endpoint answers only after the change, so the other deliveries are still due then.
  const [before, after] = [place("/held/200"), place("/status/200")];
  const webhookId = await addWebhook(workspace.id, { url: before.url });
  await commitWithEvents(
    env,
    [],
    Array.from({ length: 40 }, () => ({ event: someEvent(workspace.id) })),
  );
  await wakeSender(env, webhookId);
  await until(
    () => seenAt(before.path),
    (seen) => seen.length === MAX_AT_ONCE,
  );
  const answer = await workspace.request("PATCH", `/v1/webhooks/${webhookId}`, {
    url: after.url,
    skipVerification: true,
  });
  expect(answer.status).toBe(200);
  await release(before.path);
  await until(
    () => deliveriesOf(webhookId),
    (rows) => rows.every(({ status }) => status === "delivered"),
  );
  expect(await seenAt(before.path)).toHaveLength(MAX_AT_ONCE);
  expect(await seenAt(after.path)).toHaveLength(40 - MAX_AT_ONCE);
});
