import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { wakeSender } from "../../../../src/events/webhooks/fan-out/call-sender.ts";
import { commitWithEvents } from "../../../../src/events/webhooks/fan-out/commit-with-events.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import {
  announce,
  ask,
  createWebhook,
  deliveriesOf,
  receiverUrl,
  refusal,
  releaseAt,
  seenAt,
} from "./webhook-helpers.ts";
import { someEvent, until } from "./webhook-rows.ts";

const redeliver = async (workspace: TestWorkspace, eventId: string, body?: object) =>
  (await ask<{ webhookIds: string[] }>(workspace, "POST", `/v1/events/${eventId}/redeliver`, body)).webhookIds;
const seen = (url: string, count: number) =>
  until(
    () => seenAt(url),
    (requests) => requests.length === count,
  );
const isDelivered = (workspace: TestWorkspace, webhookId: string) =>
  until(
    () => deliveriesOf(workspace, webhookId),
    (rows) => rows.every(({ status }) => status === "delivered"),
  );

describe("a redelivery", () => {
  test("to one webhook sends the same id and bytes again and continues to count attempts", async () => {
    const workspace = await newWorkspace();
    const [url, otherUrl] = [receiverUrl(), receiverUrl()];
    const [webhook, other] = [
      await createWebhook(workspace, { url }),
      await createWebhook(workspace, { url: otherUrl }),
    ];
    const eventId = await announce(workspace);
    await Promise.all([isDelivered(workspace, webhook.id), isDelivered(workspace, other.id)]);
    await ask(workspace, "PATCH", `/v1/webhooks/${webhook.id}`, { naming: "video" });
    expect(await redeliver(workspace, eventId, { webhookId: webhook.id })).toEqual([webhook.id]);
    const [first, second] = await seen(url, 2);
    expect(second!.body).toBe(first!.body);
    expect(second!.headers["webhook-id"]).toBe(eventId);
    expect(second!.headers["service-signature"]).toBe(first!.headers["service-signature"]);
    const [row] = await until(
      () => deliveriesOf(workspace, webhook.id),
      (rows) => rows[0]?.attempts.length === 2,
    );
    expect(row!.attempts.map(({ number, status }) => [number, status])).toEqual([
      [1, 200],
      [2, 200],
    ]);
    expect(await seenAt(otherUrl)).toHaveLength(1);
  });

  test("to all reaches the webhooks that have a delivery of it or subscribe to its type now, and no others", async () => {
    const workspace = await newWorkspace();
    const had = await createWebhook(workspace);
    const paused = await createWebhook(workspace);
    const eventId = await announce(workspace);
    await Promise.all([isDelivered(workspace, had.id), isDelivered(workspace, paused.id)]);
    await ask(workspace, "PATCH", `/v1/webhooks/${had.id}`, { eventTypes: ["asset.errored"] });
    await ask(workspace, "PATCH", `/v1/webhooks/${paused.id}`, { enabled: false });
    const url = receiverUrl();
    const wants = await createWebhook(workspace, { url, eventTypes: ["video.media.*"], naming: "video" });
    const wantsOther = await createWebhook(workspace, { eventTypes: ["asset.ready"] });
    const pausedNew = await createWebhook(workspace, { enabled: false });
    const gone = await createWebhook(workspace);
    await workspace.request("DELETE", `/v1/webhooks/${gone.id}`);
    await createWebhook(await newWorkspace());
    expect(await redeliver(workspace, eventId)).toEqual([had.id, paused.id, wants.id].sort());
    const [request] = await seen(url, 1);
    expect(JSON.parse(request!.body)).toMatchObject({ type: "video.media.deleted", id: eventId });
    expect(await deliveriesOf(workspace, wantsOther.id)).toEqual([]);
    expect(await deliveriesOf(workspace, pausedNew.id)).toEqual([]);
    expect((await deliveriesOf(workspace, paused.id))[0]!.status).toBe("pending");
  });

  test("to one webhook ignores its subscription, and waits while it is paused", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id } = await createWebhook(workspace, { url, eventTypes: ["asset.ready"], enabled: false });
    const eventId = await announce(workspace);
    expect(await redeliver(workspace, eventId, { webhookId: id.toUpperCase() })).toEqual([id]);
    expect(await deliveriesOf(workspace, id)).toMatchObject([{ eventId, status: "pending", attempts: [] }]);
    expect(await seenAt(url)).toEqual([]);
    await ask(workspace, "PATCH", `/v1/webhooks/${id}`, { enabled: true });
    await seen(url, 1);
  });

  test("to a disabled webhook is refused with the reason, and to all leaves it out", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const [disabled, open] = [await createWebhook(workspace, { url }), await createWebhook(workspace)];
    const eventId = await announce(workspace);
    await Promise.all([isDelivered(workspace, disabled.id), isDelivered(workspace, open.id)]);
    await env.DB.prepare("UPDATE webhooks SET disabled_reason = 'gone', disabled_at = 1 WHERE id = ?")
      .bind(disabled.id)
      .run();
    const answer = await refusal(
      await workspace.request("POST", `/v1/events/${eventId}/redeliver`, { webhookId: disabled.id }),
    );
    expect(answer).toMatchObject({ status: 409, message: "webhook is disabled" });
    expect(answer.description).toContain("410 Gone");
    expect(await redeliver(workspace, eventId)).toEqual([open.id]);
    expect((await deliveriesOf(workspace, disabled.id)).map(({ status }) => status)).toEqual(["delivered"]);
    await ask(workspace, "PATCH", `/v1/webhooks/${disabled.id}`, { enabled: true });
    expect(await redeliver(workspace, eventId, { webhookId: disabled.id })).toEqual([disabled.id]);
    await seen(url, 2);
  });

  test("starts a new retry schedule for a failed delivery", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace, { url: receiverUrl("/status/500") });
    const eventId = await announce(workspace);
    const tried = (count: number) =>
      until(
        () => deliveriesOf(workspace, id),
        (rows) => rows[0]?.attempts.length === count,
      );
    await tried(1);
    await env.DB.prepare(
      "UPDATE deliveries SET status = 'failed', tries = 14, next_attempt_at = NULL WHERE event_id = ?",
    )
      .bind(eventId)
      .run();
    await redeliver(workspace, eventId);
    expect((await tried(2))[0]).toMatchObject({ status: "pending", failure: { code: "bad_status" } });
    const row = await env.DB.prepare("SELECT tries, attempts FROM deliveries WHERE event_id = ?").bind(eventId).first();
    expect(row).toEqual({ tries: 1, attempts: 2 });
  });

  test.each([200, 500])("during an attempt that ends with %i is sent after it, once", async (code) => {
    const workspace = await newWorkspace();
    const url = receiverUrl(`/held/${code}`);
    const webhook = await createWebhook(workspace, { url });
    const eventId = await announce(workspace);
    await seen(url, 1);
    expect(await redeliver(workspace, eventId)).toEqual([webhook.id]);
    await releaseAt(url);
    const [row] = await until(
      () => deliveriesOf(workspace, webhook.id),
      (rows) => rows[0]?.attempts.length === 2,
    );
    expect(row!.attempts.map(({ number, status }) => [number, status])).toEqual([
      [1, code],
      [2, code],
    ]);
    expect(row!.status).toBe(code === 200 ? "delivered" : "pending");
    const stored = await env.DB.prepare("SELECT tries FROM deliveries WHERE event_id = ?").bind(eventId).first();
    expect(stored).toEqual({ tries: 1 });
    expect(await seenAt(url)).toHaveLength(2);
  });

  test("during the last try is tried on, and no event says that the delivery was given up", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl("/held/500");
    const webhook = await createWebhook(workspace, { url });
    const event = someEvent(workspace.id);
    await commitWithEvents(env, [], [{ event }]);
    const daysAgo = Date.now() - 4 * 24 * 3600_000;
    await env.DB.prepare("UPDATE deliveries SET tries = 13, attempts = 13, first_tried_at = ? WHERE event_id = ?")
      .bind(daysAgo, event.id)
      .run();
    await wakeSender(env, webhook.id);
    await seen(url, 1);
    await redeliver(workspace, event.id);
    await releaseAt(url);
    const [row] = await until(
      () => deliveriesOf(workspace, webhook.id),
      (rows) => rows[0]?.attempts.length === 2,
    );
    expect(row!.status).toBe("pending");
    const announced = env.DB.prepare("SELECT type FROM events WHERE workspace_id = ? AND type LIKE 'webhook.%'");
    expect((await announced.bind(workspace.id).all()).results).toEqual([]);
  });

  test("of a sample goes only to the webhook that was tested", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const tested = await createWebhook(workspace, { url });
    await createWebhook(workspace);
    const { eventId } = await ask<{ eventId: string }>(workspace, "POST", `/v1/webhooks/${tested.id}/test`, {
      type: "asset.ready",
    });
    expect(await redeliver(workspace, eventId)).toEqual([tested.id]);
    const [first, second] = await seen(url, 2);
    expect(second!.body).toBe(first!.body);
  });

  test("without a matching webhook returns an empty list", async () => {
    const workspace = await newWorkspace();
    expect(await redeliver(workspace, await announce(workspace))).toEqual([]);
  });

  test("of another workspace's event answers like one that never existed", async () => {
    const [owner, stranger] = [await newWorkspace(), await newWorkspace()];
    const url = receiverUrl();
    await createWebhook(owner, { url });
    const eventId = await announce(owner);
    await seen(url, 1);
    const mine = await createWebhook(stranger);
    for (const body of [undefined, {}, { webhookId: mine.id }]) {
      const [foreign, unknown] = [
        await stranger.request("POST", `/v1/events/${eventId}/redeliver`, body),
        await stranger.request("POST", `/v1/events/${crypto.randomUUID()}/redeliver`, body),
      ];
      expect(foreign.status).toBe(404);
      const text = await foreign.text();
      expect(text).toBe(await unknown.text());
      expect(text).toContain('"message":"event not found"');
    }
    expect(await deliveriesOf(stranger, mine.id)).toEqual([]);
    expect(await seenAt(url)).toHaveLength(1);
  });

  test("to another workspace's webhook answers like to one that never existed", async () => {
    const [owner, stranger] = [await newWorkspace(), await newWorkspace()];
    const url = receiverUrl();
    const { id } = await createWebhook(owner, { url });
    const eventId = await announce(stranger);
    const texts: string[] = [];
    for (const webhookId of [id, crypto.randomUUID()]) {
      const response = await stranger.request("POST", `/v1/events/${eventId}/redeliver`, { webhookId });
      expect(response.status).toBe(404);
      texts.push(await response.text());
    }
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toContain('"message":"webhook not found"');
    expect([await seenAt(url), await deliveriesOf(owner, id)]).toEqual([[], []]);
  });

  test.each([
    ["not-an-id", {}, "eventId"],
    [crypto.randomUUID(), { webhookId: "x" }, "webhookId"],
    [crypto.randomUUID(), { webhookId: 1 }, "webhookId"],
  ])("of %s with %j is refused", async (eventId, body, field) => {
    const workspace = await newWorkspace();
    const answer = await refusal(await workspace.request("POST", `/v1/events/${eventId}/redeliver`, body));
    expect(answer).toMatchObject({ status: 422, fields: [{ field, message: "is invalid" }] });
  });
});
