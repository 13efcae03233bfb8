import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/platform/database.ts";
import { exampleEvent } from "../../../src/events/catalogue/envelope.ts";
import { eventBytes, events, insertEvent, type EventType } from "../../../src/events/index.ts";
import { deliveries, deliveryAttempts, webhooks } from "../../../src/events/webhooks/records/tables.ts";
import { type ErrorBody, type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../workspace.ts";

const db = openDatabase(env.DB);

interface Envelope {
  type: string;
  object: { type: string; id: string };
  id: string;
  event_id: string;
  createdAt: string;
}
interface EventsPage {
  success: true;
  data: Envelope[];
  pagination: { limit: number; nextCursor: string | null };
}

const list = async (workspace: TestWorkspace, query = ""): Promise<EventsPage> =>
  (await workspace.request("GET", `/v1/events${query && `?${query}`}`)).json<EventsPage>();

/** Stores an event. */
async function storeEvent(
  { id: workspaceId }: TestWorkspace,
  type: EventType,
  { objectId = crypto.randomUUID(), atMs = Date.now(), isTest = false } = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await insertEvent(db, { id, workspaceId, type, objectId, occurredAtMs: atMs, data: exampleEvent(type).data, isTest });
  return id;
}

async function walk(workspace: TestWorkspace, query: string): Promise<Envelope[]> {
  const seen: Envelope[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: EventsPage = await list(workspace, `${query}${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.data);
    cursor = page.pagination.nextCursor;
  }
  return seen;
}

describe("GET /v1/events", () => {
  test("lists events newest first, byte for byte as receivers get them", async () => {
    const workspace = await newWorkspace();
    const answer = await workspace.request("POST", "/v1/on-demand", {
      ...videoFrom("http://127.0.0.1:9/a.mp4"),
      title: 'Ünïcode 🎞️ "quoted"',
      metadata: { z: "1", 10: "2", a: "3" },
    });
    const { id } = (await answer.json<MediaAnswer>()).data;
    await workspace.request("PATCH", `/v1/on-demand/${id}`, { title: "New" });
    const { success, data, pagination } = await list(workspace);
    expect([success, pagination]).toEqual([true, { limit: 25, nextCursor: null }]);
    expect(data.map(({ type }) => type)).toEqual(["video.media.updated", "asset.created"]);
    for (const naming of ["service", "video"] as const) {
      for (const shown of (await list(workspace, `naming=${naming}`)).data) {
        const [stored] = await db.select().from(events).where(eq(events.id, shown.id));
        expect(JSON.stringify(shown)).toBe(new TextDecoder().decode(eventBytes(stored!, naming)));
      }
    }
  });

  test("names events in the requested naming", async () => {
    const workspace = await newWorkspace();
    await storeEvent(workspace, "asset.ready");
    expect((await list(workspace, "naming=video")).data.map(({ type }) => type)).toEqual(["video.media.ready"]);
    expect((await list(workspace, "naming=service")).data.map(({ type }) => type)).toEqual(["asset.ready"]);
  });

  test.each([
    ["asset.ready", ["asset.ready"]],
    ["video.media.ready", ["asset.ready", "live_stream.recording.ready"]],
    ["asset.*", ["asset.errored", "asset.ready"]],
    ["live_stream.*", ["live_stream.recording.ready"]],
    ["*", ["asset.errored", "asset.ready", "live_stream.recording.ready", "webhook.disabled"]],
  ])("filters by the kind %s, in either naming", async (type, expected) => {
    const workspace = await newWorkspace();
    for (const kind of ["asset.ready", "asset.errored", "live_stream.recording.ready", "webhook.disabled"] as const)
      await storeEvent(workspace, kind);
    const { data } = await list(workspace, `type=${type}`);
    expect(data.map((event) => event.type).sort()).toEqual(expected);
  });

  test("filters by object id in either case, together with the kind", async () => {
    const workspace = await newWorkspace();
    const objectId = crypto.randomUUID();
    await storeEvent(workspace, "asset.ready");
    const created = await storeEvent(workspace, "asset.created", { objectId });
    const ready = await storeEvent(workspace, "asset.ready", { objectId });
    const idsOf = async (query: string) => (await list(workspace, query)).data.map(({ id }) => id);
    expect(await idsOf(`objectId=${objectId.toUpperCase()}`)).toEqual([ready, created]);
    expect(await idsOf(`objectId=${objectId}&type=asset.created`)).toEqual([created]);
  });

  test("filters by time, including the start and excluding the end", async () => {
    const workspace = await newWorkspace();
    const noon = Date.UTC(2026, 4, 20, 12);
    const ids: string[] = [];
    for (const atMs of [noon - 1, noon, noon + 999, noon + 1000])
      ids.push(await storeEvent(workspace, "asset.ready", { atMs }));
    const idsOf = async (query: string) => (await list(workspace, query)).data.map(({ id }) => id);
    expect(await idsOf("from=2026-05-20T12:00:00Z&to=2026-05-20T12:00:01Z")).toEqual([ids[2], ids[1]]);
    expect(await idsOf(`from=${encodeURIComponent("2026-05-20T14:00:00+02:00")}`)).toEqual([ids[3], ids[2], ids[1]]);
    expect(await idsOf("to=2026-05-20T12:00:00.000Z")).toEqual([ids[0]]);
    expect(await idsOf("from=2026-05-20T12:00:00Z&to=2026-05-20T12:00:00Z")).toEqual([]);
  });

  test("pages through all events once, also with equal times and while new events arrive", async () => {
    const workspace = await newWorkspace();
    const atMs = Date.now() - 1000;
    const ids: string[] = [];
    for (let n = 0; n < 11; n += 1) ids.push(await storeEvent(workspace, "asset.ready", { atMs: atMs + (n % 2) }));
    const first = await list(workspace, "limit=4");
    expect(first.pagination.limit).toBe(4);
    await storeEvent(workspace, "asset.created");
    const second = await list(workspace, `limit=4&cursor=${first.pagination.nextCursor}`);
    const third = await list(workspace, `limit=4&cursor=${second.pagination.nextCursor}`);
    expect(third.pagination.nextCursor).toBeNull();
    const seen = [...first.data, ...second.data, ...third.data];
    expect(seen.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    const times = seen.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("ends after a full last page", async () => {
    const workspace = await newWorkspace();
    for (let n = 0; n < 4; n += 1) await storeEvent(workspace, "asset.ready");
    expect(await walk(workspace, "limit=2")).toHaveLength(4);
    expect((await list(workspace, "limit=4")).pagination.nextCursor).toBeNull();
  });

  test("excludes samples, which can be read by their id", async () => {
    const workspace = await newWorkspace();
    const id = await storeEvent(workspace, "asset.ready", { isTest: true });
    expect((await list(workspace)).data).toEqual([]);
    const answer = await (await workspace.request("GET", `/v1/events/${id}`)).json<{ data: { isTest: boolean } }>();
    expect(answer.data.isTest).toBe(true);
  });

  test.each([
    ["type=asset.nonsense", "type", "is not a kind of event"],
    ["type=nothing.*", "type", "matches no kind of event"],
    ["type=", "type", "is not a kind of event"],
    ["type=asset.ready&type=asset.created", "type", "is invalid"],
    ["objectId=", "objectId", "is invalid"],
    ["from=yesterday", "from", "is invalid"],
    ["to=2026-05-20", "to", "is invalid"],
    ["from=2026-02-30T00:00:00Z", "from", "is invalid"],
    ["from=2026-05-20T12:00:01Z&to=2026-05-20T12:00:00Z", "to", "is before from"],
    ["naming=mine", "naming", "is invalid"],
    ["limit=0", "limit", "is invalid"],
    ["limit=101", "limit", "is invalid"],
    ["limit=1.5", "limit", "is invalid"],
    ["cursor=", "cursor", "is invalid"],
    ["cursor=%00%ff", "cursor", "is invalid"],
    ["cursor=WzEsIngiXQ", "cursor", "is invalid"],
  ])("refuses %s and names the field", async (query, field, message) => {
    const workspace = await newWorkspace();
    const response = await workspace.request("GET", `/v1/events?${query}`);
    expect(response.status).toBe(422);
    expect((await response.json<ErrorBody>()).error.fields).toEqual([{ field, message }]);
  });
});

describe("GET /v1/events/{eventId}", () => {
  test("returns the event with both names and its deliveries", async () => {
    const workspace = await newWorkspace();
    const id = await storeEvent(workspace, "asset.ready");
    const [good, slow] = [crypto.randomUUID(), crypto.randomUUID()];
    const now = new Date("2026-11-20T12:00:00.000Z");
    const row = {
      workspaceId: workspace.id,
      eventTypes: [],
      enabled: true,
      secret: "",
      createdAt: now,
      updatedAt: now,
    };
    const ids = { eventId: id, workspaceId: workspace.id, type: "asset.ready", createdAt: now };
    const later = new Date(now.getTime() + 60_000);
    await db.batch([
      db.insert(webhooks).values([
        { ...row, id: good, url: "https://good.test/", naming: "service" },
        { ...row, id: slow, url: "https://slow.test/", naming: "video", deletedAt: now },
      ]),
      db.insert(deliveries).values([
        { ...ids, webhookId: good, naming: "service", status: "delivered", attempts: 2, finishedAt: later },
        {
          ...ids,
          webhookId: slow,
          naming: "video",
          status: "pending",
          attempts: 1,
          nextAttemptAt: later,
          lastFailure: "timed_out",
        },
      ]),
      db.insert(deliveryAttempts).values([
        {
          eventId: id,
          webhookId: good,
          number: 1,
          startedAt: now,
          durationMs: 5,
          status: 500,
          failure: "bad_status",
          responseHead: "oh",
        },
        {
          eventId: id,
          webhookId: good,
          number: 2,
          startedAt: later,
          durationMs: 7,
          status: 200,
          failure: null,
          responseHead: "ok",
        },
        {
          eventId: id,
          webhookId: slow,
          number: 1,
          startedAt: now,
          durationMs: 10_000,
          status: null,
          failure: "timed_out",
          responseHead: "",
        },
      ]),
    ]);
    const response = await workspace.request("GET", `/v1/events/${id.toUpperCase()}`);
    expect(response.status).toBe(200);
    interface Answer {
      data: { event: Envelope; deliveries: { webhookId: string }[] };
    }
    const { data } = await response.json<Answer>();
    expect(data).toMatchObject({ type: "asset.ready", videoType: "video.media.ready", isTest: false });
    expect(data.event).toEqual((await list(workspace)).data[0]);
    const of = (webhookId: string) => data.deliveries.find((delivery) => delivery.webhookId === webhookId);
    expect(data.deliveries).toHaveLength(2);
    expect(of(good)).toMatchObject({
      url: "https://good.test/",
      status: "delivered",
      attempts: [
        { number: 1, status: 500, durationMs: 5, failure: { code: "bad_status" }, responseHead: "oh" },
        { number: 2, status: 200, durationMs: 7, failure: null, responseHead: "ok" },
      ],
    });
    expect(of(slow)).toMatchObject({
      url: "https://slow.test/",
      status: "pending",
      nextAttemptAt: "2026-11-20T12:01:00.000000Z",
      attempts: [{ number: 1, status: null, failure: { code: "timed_out" } }],
    });
  });

  test("answers 404 for an unknown id and 422 for a malformed one", async () => {
    const workspace = await newWorkspace();
    const unknown = await workspace.request("GET", `/v1/events/${crypto.randomUUID()}`);
    expect([unknown.status, (await unknown.json<ErrorBody>()).error.message]).toEqual([404, "event not found"]);
    const malformed = await workspace.request("GET", "/v1/events/latest");
    expect([malformed.status, (await malformed.json<ErrorBody>()).error.fields]).toEqual([
      422,
      [{ field: "eventId", message: "is invalid" }],
    ]);
  });
});
