import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { deliveriesOfEvent } from "../../../../src/events/webhooks/deliveries/deliveries-of-event.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import {
  announce,
  ask,
  createWebhook,
  type Delivery,
  deliveriesOf,
  insertDeliveryRow,
  receiverUrl,
  refusal,
} from "./webhook-helpers.ts";
import { until } from "./webhook-rows.ts";

interface Page {
  data: Delivery[];
  pagination: { limit: number; nextCursor: string | null };
}
const page = async (workspace: TestWorkspace, id: string, query: string) =>
  await (await workspace.request("GET", `/v1/webhooks/${id}/deliveries?${query}`)).json<Page>();

describe("the delivery log", () => {
  test("has each delivery with its attempts and their failures", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    const atMs = Date.parse("2026-11-01T10:00:00.500Z");
    const eventId = await insertDeliveryRow(workspace, id, { atMs, naming: "video", attempts: 2 });
    const failure = { code: "bad_status", message: expect.stringContaining("status outside 200 to 299") };
    const attempt = {
      durationMs: 12,
      status: 500,
      failure: { ...failure, detail: "answered 500" },
      responseHead: "what it said",
    };
    expect(await page(workspace, id, "")).toEqual({
      success: true,
      data: [
        {
          eventId,
          type: "video.media.ready",
          isTest: false,
          status: "failed",
          failure,
          attempts: [
            { number: 1, at: "2026-11-01T10:00:00.500000Z", ...attempt },
            { number: 2, at: "2026-11-01T10:00:00.501000Z", ...attempt },
          ],
          createdAt: "2026-11-01T10:00:00.500000Z",
          finishedAt: "2026-11-01T10:00:00.600000Z",
        },
      ],
      pagination: { limit: 25, nextCursor: null },
    });
  });

  test("has the reason of a failure without an attempt, and the next try of a pending delivery", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace, { enabled: false });
    const atMs = Date.now() - 1000;
    await insertDeliveryRow(workspace, id, { failure: "webhook_disabled", attempts: 0, atMs });
    await insertDeliveryRow(workspace, id, { status: "pending", atMs: atMs + 1 });
    const [pending, failed] = await deliveriesOf(workspace, id);
    expect(failed).toMatchObject({ status: "failed", failure: { code: "webhook_disabled" }, attempts: [] });
    expect(pending).toMatchObject({ status: "pending", failure: { code: "bad_status" } });
    expect(Date.parse(pending!.nextAttemptAt!)).toBe(atMs + 1 + 3_600_000);
    expect("finishedAt" in pending!).toBe(false);
  });

  test("pages through all deliveries once, newest first, also with equal times and while more are added", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    const now = Date.now();
    const ids: string[] = [];
    for (const ago of [5, 5, 5, 4, 3, 3, 2]) ids.push(await insertDeliveryRow(workspace, id, { atMs: now - ago }));
    const found: Delivery[] = [];
    let cursor = "";
    for (;;) {
      const { data, pagination } = await page(workspace, id, `limit=2${cursor}`);
      found.push(...data);
      expect(pagination.limit).toBe(2);
      if (pagination.nextCursor === null) break;
      cursor = `&cursor=${pagination.nextCursor}`;
      await insertDeliveryRow(workspace, id, { atMs: now });
    }
    expect(found.map(({ eventId }) => eventId).sort()).toEqual(ids.sort());
    const times = found.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("filters by status, by type in either naming or as a prefix, and by time", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace, { enabled: false });
    const atMs = Date.parse("2026-11-01T10:00:00Z");
    const ready = await insertDeliveryRow(workspace, id, { atMs, status: "delivered" });
    const errored = await insertDeliveryRow(workspace, id, { atMs: atMs + 1000, type: "asset.errored" });
    const deleted = await insertDeliveryRow(workspace, id, {
      atMs: atMs + 2000,
      type: "video.media.deleted",
      status: "pending",
    });
    const found = async (query: string) => (await page(workspace, id, query)).data.map(({ eventId }) => eventId);
    expect(await found("status=delivered")).toEqual([ready]);
    expect(await found("status=failed")).toEqual([errored]);
    expect(await found("type=asset.ready")).toEqual([ready]);
    expect(await found("type=video.media.ready")).toEqual([ready]);
    expect(await found("type=asset.*")).toEqual([errored, ready]);
    expect(await found("type=video.media.*")).toEqual([deleted, errored, ready]);
    expect(await found("type=live_stream.*")).toEqual([]);
    expect(await found("from=2026-11-01T10:00:01Z")).toEqual([deleted, errored]);
    expect(await found("to=2026-11-01T10:00:01Z")).toEqual([ready]);
    expect(await found("from=2026-11-01T10:00:00Z&to=2026-11-01T10:00:02Z&type=asset.*&status=failed")).toEqual([
      errored,
    ]);
    expect(await found("from=2026-11-01T11:00:01%2B01:00")).toEqual([deleted, errored]);
  });

  test("returns a hundred at once, each with its own attempts", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    await Promise.all(
      Array.from({ length: 101 }, (_, n) => insertDeliveryRow(workspace, id, { attempts: 1 + (n % 3) })),
    );
    const { data, pagination } = await page(workspace, id, "limit=100");
    expect(data).toHaveLength(100);
    expect(new Set(data.map(({ attempts }) => attempts.length))).toEqual(new Set([1, 2, 3]));
    expect(pagination.nextCursor).not.toBeNull();
  });

  test("returns the last 20 attempts of a delivery that has more", async () => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    await insertDeliveryRow(workspace, id, { attempts: 23 });
    const [row] = await deliveriesOf(workspace, id);
    expect(row!.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, n) => n + 4));
  });

  test.each([
    ["status=lost", "status", "is invalid"],
    ["type=asset.unheard", "type", "is not a kind of event"],
    ["type=nothing.*", "type", "matches no kind of event"],
    ["type=", "type", "is not a kind of event"],
    ["from=yesterday", "from", "is invalid"],
    ["to=2026-11-01", "to", "is invalid"],
    ["from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z", "to", "is before from"],
    ["limit=0", "limit", "is invalid"],
    ["limit=101", "limit", "is invalid"],
    ["limit=x", "limit", "is invalid"],
    ["cursor=!!", "cursor", "is invalid"],
    ["cursor=", "cursor", "is invalid"],
    [`cursor=${btoa("[1]")}`, "cursor", "is invalid"],
    [`cursor=${btoa('["1","x"]').replaceAll("=", "")}`, "cursor", "is invalid"],
    [`cursor=${btoa('[1e308,"x"]').replaceAll("=", "")}`, "cursor", "is invalid"],
    [`cursor=${btoa('[9007199254740991,"x"]').replaceAll("=", "")}`, "cursor", "is invalid"],
  ])("is refused for %s", async (query, field, message) => {
    const workspace = await newWorkspace();
    const { id } = await createWebhook(workspace);
    const answer = await refusal(await workspace.request("GET", `/v1/webhooks/${id}/deliveries?${query}`));
    expect(answer).toMatchObject({ status: 422, fields: [{ field, message }] });
  });
});

test("an event's record has a delivery for each webhook, with its URL, also for a deleted webhook", async () => {
  const workspace = await newWorkspace();
  const [good, bad] = [
    await createWebhook(workspace, { url: receiverUrl("/status/200?body=fine") }),
    await createWebhook(workspace, { url: receiverUrl("/status/404") }),
  ];
  const eventId = await announce(workspace);
  const read = () => deliveriesOfEvent(openDatabase(env.DB), eventId);
  await until(read, (rows) => rows.length === 2 && rows.every(({ attempts }) => attempts.length > 0));
  await ask(workspace, "DELETE", `/v1/webhooks/${bad.id}`);
  const rows = await read();
  expect(rows.find(({ webhookId }) => webhookId === good.id)).toMatchObject({
    url: good.url,
    eventId,
    status: "delivered",
    attempts: [{ number: 1, status: 200, failure: null, responseHead: "fine" }],
  });
  const deleted = rows.find(({ webhookId }) => webhookId === bad.id);
  expect(deleted).toMatchObject({ url: bad.url, status: "cancelled" });
  // On a busy machine it was tried again before it was deleted.
  for (const [n, attempt] of deleted!.attempts.entries())
    expect(attempt).toMatchObject({
      number: n + 1,
      status: 404,
      failure: { code: "bad_status", detail: "answered 404" },
    });
});
