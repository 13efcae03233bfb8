import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { CATALOGUE, EVENT_KINDS } from "../../../../src/events/index.ts";
import { sampleOf } from "../../../../src/events/webhooks/deliveries/sample-event.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { receivers } from "./receivers.ts";
import {
  ask,
  createWebhook,
  type Delivery,
  deliveriesOf,
  hmac,
  receiverUrl,
  refusal,
  seenAt,
  type Webhook,
} from "./webhook-helpers.ts";

interface TestAnswer {
  eventId: string;
  type: string;
  delivered: boolean;
  attempt: Delivery["attempts"][number];
}
const tryOut = (workspace: TestWorkspace, id: string, type = "asset.ready") =>
  ask<TestAnswer>(workspace, "POST", `/v1/webhooks/${id}/test`, { type });

describe("a test", () => {
  test("sends a signed sample of the type in the webhook's naming, and returns the outcome", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl("/status/202?body=thank+you");
    const { id, secret } = await createWebhook(workspace, { url, naming: "video" });
    const answer = await tryOut(workspace, id, "asset.ready");
    expect(answer).toEqual({
      eventId: expect.any(String),
      type: "video.media.ready",
      delivered: true,
      attempt: {
        number: 1,
        at: expect.stringMatching(/\.\d{6}Z$/),
        durationMs: expect.any(Number),
        status: 202,
        failure: null,
        responseHead: "thank you",
      },
    });
    const seen = await seenAt(url);
    expect(seen).toHaveLength(1);
    const { headers, body } = seen[0]!;
    const event = JSON.parse(body) as Record<string, unknown> & { object: { id: string }; data: { id: string } };
    expect(event).toMatchObject({
      type: "video.media.ready",
      id: answer.eventId,
      event_id: answer.eventId,
      workspace: { id: workspace.id, name: "test" },
      status: CATALOGUE["asset.ready"].status,
      attempts: [],
      isTest: true,
    });
    expect(event.data.id).toBe(event.object.id);
    expect(CATALOGUE["asset.ready"].data.safeParse(event.data).success).toBe(true);
    expect(headers["service-signature"]).toBe(await hmac(secret, body));
    expect(headers["webhook-id"]).toBe(answer.eventId);
  });

  test("accepts a name in either naming", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    expect((await tryOut(workspace, id, "video.media.ready")).type).toBe("asset.ready");
    expect((await tryOut(workspace, id, "video.media.deleted")).type).toBe("video.media.deleted");
  });

  test("goes to this webhook only, whatever it subscribes to", async () => {
    const workspace = await newWorkspace();
    const [url, otherUrl] = [receiverUrl(), receiverUrl()];
    const { id } = await createWebhook(workspace, { url, eventTypes: ["asset.errored"] });
    const other = await createWebhook(workspace, { url: otherUrl });
    await tryOut(workspace, id);
    expect(await deliveriesOf(workspace, other.id)).toEqual([]);
    expect([(await seenAt(url)).length, (await seenAt(otherUrl)).length]).toEqual([1, 0]);
  });

  test("is in the webhook's delivery log, marked as a test", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    const { eventId, attempt } = await tryOut(workspace, id);
    const log = await deliveriesOf(workspace, id);
    expect(log).toMatchObject([
      { eventId, type: "asset.ready", isTest: true, status: "delivered", attempts: [attempt] },
    ]);
    const row = await env.DB.prepare("SELECT is_test, workspace_id FROM events WHERE id = ?").bind(eventId).first();
    expect(row).toEqual({ is_test: 1, workspace_id: workspace.id });
  });

  test.each([
    ["/status/500", 500, "bad_status"],
    ["/status/410", 410, "gone"],
    ["/status/429?header=retry-after:%20100", 429, "too_many_requests"],
    ["/hang-up", null, "connection_failed"],
  ])(
    "that fails (%s) has its reason, is not retried, and does not affect the endpoint's health",
    async (path, status, code) => {
      const workspace = await newWorkspace();
      const url = receiverUrl(path);
      const { id } = await createWebhook(workspace, { url });
      for (let n = 0; n < 4; n += 1) {
        const answer = await tryOut(workspace, id);
        expect(answer).toMatchObject({ delivered: false, attempt: { status, failure: { code } } });
      }
      const { secret: _, ...webhook } = await ask<Webhook>(workspace, "GET", `/v1/webhooks/${id}`);
      expect(webhook.status).toBe("active");
      expect("lastDelivery" in webhook).toBe(false);
      const log = await deliveriesOf(workspace, id);
      expect(log.map((row) => [row.status, row.failure?.code, "nextAttemptAt" in row])).toEqual(
        Array.from({ length: 4 }, () => ["failed", code, false]),
      );
      expect(await seenAt(url)).toHaveLength(4);
    },
  );

  test("works while the webhook is paused or disabled, and does not change that", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace, { enabled: false });
    expect((await tryOut(workspace, id)).delivered).toBe(true);
    await env.DB.prepare("UPDATE webhooks SET disabled_reason = 'gone', disabled_at = 1 WHERE id = ?").bind(id).run();
    expect((await tryOut(workspace, id)).delivered).toBe(true);
    expect((await ask<Webhook>(workspace, "GET", `/v1/webhooks/${id}`)).status).toBe("disabled");
  });

  test("reports that nothing listens at the URL", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace, { url: `${receivers().nobody}/` });
    const { attempt } = await tryOut(workspace, id);
    expect(attempt).toMatchObject({ status: null, failure: { code: "connection_failed" }, responseHead: "" });
  });

  test.each([
    [{}, "must not be null"],
    [{ type: null }, "must not be null"],
    [{ type: 1 }, "is invalid"],
    [{ type: "" }, "is not a kind of event"],
    [{ type: "asset.unheard" }, "is not a kind of event"],
    [{ type: "toString" }, "is not a kind of event"],
    [{ type: "video.media.*" }, "must be one kind of event"],
    [{ type: "*" }, "must be one kind of event"],
  ])("of %j is refused", async (body, message) => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id } = await createWebhook(workspace, { url });
    const answer = await refusal(await workspace.request("POST", `/v1/webhooks/${id}/test`, body));
    expect(answer).toMatchObject({ status: 422, fields: [{ field: "type", message }] });
    expect(await seenAt(url)).toEqual([]);
  });
});

test("every kind has a sample that matches its schema, with new ids", () => {
  const workspaceId = crypto.randomUUID();
  for (const { type, data, example } of EVENT_KINDS) {
    const [one, other] = [sampleOf(type, workspaceId), sampleOf(type, workspaceId)];
    expect({ type, error: data.safeParse(one.data).error }).toEqual({ type, error: undefined });
    expect(one.objectId).not.toBe(other.objectId);
    expect(Object.keys(one.data as object)).toEqual(Object.keys(example as object));
  }
});
