import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { eventBytes, findEvent } from "../../../../src/events/index.ts";
import { sinceProblem } from "../../../../src/events/webhooks/deliveries/recover.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import {
  announce,
  ask,
  createWebhook,
  deliveriesOf,
  insertDeliveryRow,
  receiverUrl,
  refusal,
  seenAt,
} from "./webhook-helpers.ts";
import { until } from "./webhook-rows.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const recover = async (workspace: TestWorkspace, id: string, sinceMs: number) =>
  (
    await ask<{ recovered: number }>(workspace, "POST", `/v1/webhooks/${id}/recover`, {
      since: new Date(sinceMs).toISOString(),
    })
  ).recovered;

/** A webhook whose endpoint has asked to wait. The second event is held up by that pause, with no attempt under way. */
async function failingWebhook(workspace: TestWorkspace) {
  const { id } = await createWebhook(workspace, { url: receiverUrl("/status/503?header=retry-after:%20100") });
  const tried = await announce(workspace);
  await until(
    () => deliveriesOf(workspace, id),
    (rows) => rows[0]?.attempts.length === 1,
  );
  return { id, eventIds: [tried, await announce(workspace)] };
}

describe("a recovery", () => {
  test("sends failed deliveries again with the same event id and bytes, and continues to count attempts", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id } = await createWebhook(workspace, { url });
    const now = Date.now();
    const failed = [
      await insertDeliveryRow(workspace, id, { atMs: now - 2 * DAY_MS, naming: "video", attempts: 14 }),
      await insertDeliveryRow(workspace, id, { atMs: now - DAY_MS, failure: "webhook_disabled", attempts: 0 }),
    ];
    const older = await insertDeliveryRow(workspace, id, { atMs: now - 3 * DAY_MS });
    await insertDeliveryRow(workspace, id, { atMs: now - DAY_MS, status: "delivered" });
    await insertDeliveryRow(workspace, id, { atMs: now - DAY_MS, status: "cancelled" });
    expect(await recover(workspace, id, now - 2 * DAY_MS)).toBe(2);
    const log = await until(
      () => deliveriesOf(workspace, id),
      (rows) => rows.filter(({ status }) => status === "delivered").length === 3,
    );
    const found = failed.map((eventId) => log.find((row) => row.eventId === eventId)!);
    expect(found.map(({ attempts }) => attempts.at(-1))).toMatchObject([
      { number: 15, status: 200, failure: null },
      { number: 1, status: 200, failure: null },
    ]);
    expect(log.find(({ eventId }) => eventId === older)!.status).toBe("failed");
    const seen = new Map((await seenAt(url)).map(({ headers, body }) => [headers["webhook-id"], body]));
    expect(new Set(seen.keys())).toEqual(new Set(failed));
    for (const [index, eventId] of failed.entries()) {
      const event = await findEvent(openDatabase(env.DB), eventId);
      expect(seen.get(eventId)).toBe(new TextDecoder().decode(eventBytes(event!, index === 0 ? "video" : "service")));
    }
    expect(await recover(workspace, id, now - 2 * DAY_MS)).toBe(0);
  });

  test("sends deliveries that wait for their retry now, each once, although the endpoint had asked to wait", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id, eventIds } = await failingWebhook(workspace);
    const later = Date.now() + 3_600_000;
    await env.DB.prepare("UPDATE deliveries SET next_attempt_at = ? WHERE webhook_id = ?").bind(later, id).run();
    await env.DB.prepare("UPDATE webhooks SET url = ? WHERE id = ?").bind(url, id).run(); // repaired, without a PATCH
    expect(await recover(workspace, id, Date.now() - MINUTE_MS)).toBe(2);
    await until(
      () => deliveriesOf(workspace, id),
      (rows) => rows.every(({ status }) => status === "delivered"),
    );
    expect(await recover(workspace, id, Date.now() - MINUTE_MS)).toBe(0);
    const sent = (await seenAt(url)).map(({ headers }) => headers["webhook-id"]!);
    expect(sent.toSorted()).toEqual(eventIds.toSorted());
  });

  test("counts a delivery that is due already, and leaves its schedule alone, because its attempt may be under way", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace, { enabled: false });
    const eventId = await insertDeliveryRow(workspace, id, { status: "pending" });
    const dueMs = Date.now() - 1;
    await env.DB.prepare("UPDATE deliveries SET next_attempt_at = ? WHERE event_id = ?").bind(dueMs, eventId).run();
    expect(await recover(workspace, id, Date.now() - MINUTE_MS)).toBe(1);
    const kept = await env.DB.prepare("SELECT next_attempt_at FROM deliveries WHERE event_id = ?")
      .bind(eventId)
      .first();
    expect(kept).toEqual({ next_attempt_at: dueMs });
  });

  test("sends deliveries that are due and held up by the pause of a failing endpoint", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id } = await failingWebhook(workspace);
    const dueMs = Date.now() - 1000;
    await env.DB.prepare("UPDATE deliveries SET next_attempt_at = ? WHERE webhook_id = ?").bind(dueMs, id).run();
    await env.DB.prepare("UPDATE webhooks SET url = ? WHERE id = ?").bind(url, id).run(); // repaired, without a PATCH
    expect(await recover(workspace, id, Date.now() - MINUTE_MS)).toBe(2);
    await until(
      () => deliveriesOf(workspace, id),
      (rows) => rows.every(({ status }) => status === "delivered"),
    );
    expect(await seenAt(url)).toHaveLength(2);
  });

  test("excludes samples and other webhooks", async () => {
    const workspace = await newWorkspace();
    const [mine, other] = [
      await createWebhook(workspace, { url: receiverUrl("/status/500") }),
      await createWebhook(workspace),
    ];
    await ask(workspace, "POST", `/v1/webhooks/${mine.id}/test`, { type: "asset.ready" });
    await insertDeliveryRow(workspace, other.id);
    expect(await recover(workspace, mine.id, Date.now() - MINUTE_MS)).toBe(0);
    expect((await deliveriesOf(workspace, other.id)).map(({ status }) => status)).toEqual(["failed"]);
  });

  test("of a paused webhook waits until it is enabled", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id } = await createWebhook(workspace, { url, enabled: false });
    await insertDeliveryRow(workspace, id);
    expect(await recover(workspace, id, Date.now() - MINUTE_MS)).toBe(1);
    const [waiting] = await deliveriesOf(workspace, id);
    expect(waiting).toMatchObject({ status: "pending", nextAttemptAt: expect.any(String) });
    expect("failure" in waiting!).toBe(false);
    expect(await seenAt(url)).toEqual([]);
    await ask(workspace, "PATCH", `/v1/webhooks/${id}`, { enabled: true });
    await until(
      () => deliveriesOf(workspace, id),
      (rows) => rows[0]?.status === "delivered",
    );
    expect(await seenAt(url)).toHaveLength(1);
  });

  test("of a disabled webhook waits until it is enabled, and then starts without a record of failures", async () => {
    const workspace = await newWorkspace();
    const url = receiverUrl();
    const { id } = await createWebhook(workspace, { url });
    await env.DB.prepare(
      "UPDATE webhooks SET disabled_reason = 'gone', disabled_at = 1, failing_since = 1 WHERE id = ?",
    )
      .bind(id)
      .run();
    await insertDeliveryRow(workspace, id, { failure: "webhook_disabled", attempts: 0 });
    expect(await recover(workspace, id, Date.now() - MINUTE_MS)).toBe(1);
    expect(await seenAt(url)).toEqual([]);
    await ask(workspace, "PATCH", `/v1/webhooks/${id}`, { enabled: true });
    await until(
      () => deliveriesOf(workspace, id),
      (rows) => rows[0]?.status === "delivered",
    );
    expect(await ask(workspace, "GET", `/v1/webhooks/${id}`)).toMatchObject({ status: "active" });
  });

  test.each([
    [{}, "must not be null"],
    [{ since: null }, "must not be null"],
    [{ since: 1_790_000_000 }, "is invalid"],
    [{ since: "yesterday" }, "is invalid"],
    [{ since: "2026-11-20" }, "is invalid"],
    [{ since: "2026-11-20T10:00Z" }, "is invalid"],
    [{ since: "2026-11-20T10:00:00" }, "is invalid"],
    [{ since: "2026-02-30T10:00:00Z" }, "is invalid"],
    [{ since: new Date(Date.now() + MINUTE_MS).toISOString() }, "must not be in the future"],
    [{ since: new Date(Date.now() - 30 * DAY_MS - MINUTE_MS).toISOString() }, "must not be older than 30 days"],
    [{ since: "0001-01-01T00:00:00Z" }, "must not be older than 30 days"],
  ])("since %j is refused", async (body, message) => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    const answer = await refusal(await workspace.request("POST", `/v1/webhooks/${id}/recover`, body));
    expect(answer).toMatchObject({ status: 422, fields: [{ field: "since", message }] });
  });

  test("accepts any offset and any number of fraction digits", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace, { enabled: false });
    await insertDeliveryRow(workspace, id);
    const shifted = new Date(Date.now() - MINUTE_MS + 330 * MINUTE_MS).toISOString().replace("Z", "123456+05:30");
    const { recovered } = await ask<{ recovered: number }>(workspace, "POST", `/v1/webhooks/${id}/recover`, {
      since: shifted,
    });
    expect(recovered).toBe(1);
  });
});

test("30 days ago is not too old, a millisecond more is; now is not the future", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  const problem = (agoMs: number) => sinceProblem(new Date(now.getTime() - agoMs), now);
  expect(problem(30 * DAY_MS)).toBeNull();
  expect(problem(30 * DAY_MS + 1)).toBe("must not be older than 30 days");
  expect(problem(0)).toBeNull();
  expect(problem(-1)).toBe("must not be in the future");
});
