import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { type ActivityItem, compareActivity, keyOf, resumeAfter } from "../../../src/library/assets/activity.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { exampleEvent } from "../../../src/events/catalogue/envelope.ts";
import { insertEvent } from "../../../src/events/index.ts";
import { requestLogs } from "../../../src/events/request-log/tables.ts";
import { type ErrorBody, type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../workspace.ts";

const db = openDatabase(env.DB);

type Item =
  | { kind: "request"; at: string; id: string; method: string; route: string; status: number; requestId: string }
  | { kind: "event"; at: string; type: string; videoType: string; event: { id: string; createdAt: string } };
interface ActivityPage {
  data: Item[];
  pagination: { limit: number; nextCursor: string | null };
}

const create = async (workspace: TestWorkspace): Promise<string> => {
  const answer = await workspace.request("POST", "/v1/on-demand", videoFrom("http://127.0.0.1:9/a.mp4"));
  return (await answer.json<MediaAnswer>()).data.id;
};
const activity = async (workspace: TestWorkspace, mediaId: string, query = ""): Promise<ActivityPage> =>
  (await workspace.request("GET", `/v1/on-demand/${mediaId}/activity${query}`)).json<ActivityPage>();
const said = (item: Item) => (item.kind === "event" ? item.type : `${item.method} ${item.status}`);

describe("the activity of a media", () => {
  test("lists requests and events newest first, also after the media is deleted", async () => {
    const workspace = await newWorkspace();
    const id = await create(workspace);
    const path = `/v1/on-demand/${id}`;
    await workspace.request("GET", path.toUpperCase().replace("/V1/ON-DEMAND", "/v1/on-demand"));
    await workspace.request("PATCH", path, { title: 7 });
    await workspace.request("PATCH", path, { title: "New" });
    await workspace.request("DELETE", path);
    await workspace.request("GET", path);
    const { data, pagination } = await activity(workspace, id);
    expect(pagination).toEqual({ limit: 25, nextCursor: null });
    const beforeOf = (later: string, earlier: string) => {
      const order = data.map(said);
      expect(order.indexOf(later), `${later} before ${earlier}`).toBeLessThan(order.indexOf(earlier));
    };
    const all = ["GET 404", "video.media.deleted", "DELETE 200", "video.media.updated", "PATCH 200", "PATCH 422"];
    expect(data.map(said).sort()).toEqual([...all, "GET 200", "asset.created", "POST 201"].sort());
    beforeOf("video.media.deleted", "video.media.updated");
    beforeOf("video.media.updated", "asset.created");
    beforeOf("asset.created", "POST 201");
    const times = data.map(({ at }) => at.slice(0, 23));
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("has the credential, route and status of each request, and each event as a whole", async () => {
    const workspace = await newWorkspace();
    const id = await create(workspace);
    const [event, request] = (await activity(workspace, id)).data;
    const listed = await (await workspace.request("GET", "/v1/events")).json<{ data: { createdAt: string }[] }>();
    expect(event).toEqual({
      kind: "event",
      at: listed.data[0]!.createdAt,
      type: "asset.created",
      videoType: "video.media.created",
      event: listed.data[0],
    });
    expect(request).toEqual({
      kind: "request",
      id: expect.any(String) as string,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
      method: "POST",
      route: "/v1/on-demand",
      status: 201,
      durationMs: expect.any(Number) as number,
      requestId: expect.any(String) as string,
      credentialId: atob(workspace.authorization.slice(6)).split(":")[0],
      resourceIds: [id],
    });
  });

  test("does not contain the requests that read it, which are in the request log", async () => {
    const workspace = await newWorkspace();
    const id = await create(workspace);
    await activity(workspace, id);
    expect((await activity(workspace, id)).data.map(said)).toEqual(["asset.created", "POST 201"]);
    const log = await (
      await workspace.request("GET", `/v1/request-logs?resourceId=${id}`)
    ).json<{ data: { route: string }[] }>();
    expect(log.data.map(({ route }) => route).sort()).toEqual([
      "/v1/on-demand",
      "/v1/on-demand/{mediaId}/activity",
      "/v1/on-demand/{mediaId}/activity",
    ]);
  });

  test("is paged without gaps or repeats, however requests and events are mixed", async () => {
    const workspace = await newWorkspace();
    const id = await create(workspace);
    const atMs = Date.now() + 1000;
    for (let n = 0; n < 12; n += 1) {
      const row = {
        workspaceId: workspace.id,
        requestId: "r",
        credentialId: "c",
        method: "GET",
        route: "/",
        status: 200,
      };
      await db.insert(requestLogs).values({
        ...row,
        id: crypto.randomUUID(),
        at: new Date(atMs + (n % 3)),
        durationMs: 1,
        resourceIds: [id],
        resourceId: id,
      });
      const event = {
        workspaceId: workspace.id,
        type: "asset.ready",
        objectId: id,
        data: exampleEvent("asset.ready").data,
      };
      await insertEvent(db, { ...event, id: crypto.randomUUID(), occurredAtMs: atMs + (n % 4) });
    }
    const whole = await activity(workspace, id, "?limit=100");
    expect(whole.data).toHaveLength(26);
    for (const limit of [1, 2, 3, 5, 13]) {
      const seen: Item[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: ActivityPage = await activity(workspace, id, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        expect(page.data.length).toBeLessThanOrEqual(limit);
        seen.push(...page.data);
        cursor = page.pagination.nextCursor;
      }
      expect(seen).toEqual(whole.data);
    }
  });

  test("has no requests of another workspace for the same id", async () => {
    const [owner, stranger] = [await newWorkspace(), await newWorkspace()];
    const id = await create(owner);
    await stranger.request("DELETE", `/v1/on-demand/${id}`);
    expect((await activity(owner, id)).data.map(said)).toEqual(["asset.created", "POST 201"]);
  });

  test("answers 404 for a media that never existed in the workspace, also when it was requested before", async () => {
    const workspace = await newWorkspace();
    const id = crypto.randomUUID();
    await workspace.request("GET", `/v1/on-demand/${id}`);
    const response = await workspace.request("GET", `/v1/on-demand/${id}/activity`);
    expect([response.status, (await response.json<ErrorBody>()).error.message]).toEqual([
      404,
      "media workspace relation not found",
    ]);
  });

  test("refuses a cursor of another list", async () => {
    const workspace = await newWorkspace();
    const id = await create(workspace);
    await create(workspace);
    const events = await (
      await workspace.request("GET", "/v1/events?limit=1")
    ).json<{ pagination: { nextCursor: string } }>();
    const response = await workspace.request(
      "GET",
      `/v1/on-demand/${id}/activity?cursor=${events.pagination.nextCursor}`,
    );
    expect(response.status).toBe(422);
    expect((await response.json<ErrorBody>()).error.fields).toEqual([{ field: "cursor", message: "is invalid" }]);
  });
});

describe("the order of activity", () => {
  const event = (createdAt: string) => ({ kind: "event", row: { createdAt, id: "e" } }) as ActivityItem;
  const request = (at: string, id = "r") => ({ kind: "request", row: { at: new Date(at), id } }) as ActivityItem;

  test("lists an event before the request of the same millisecond that caused it", () => {
    const items = [
      request("2026-11-20T12:00:00.000Z", "a"),
      event("2026-11-20T12:00:00.000000000Z"),
      request("2026-11-20T12:00:00.001Z"),
      request("2026-11-20T12:00:00.000Z", "b"),
      event("2026-11-20T12:00:00.000000001Z"),
    ];
    const sorted = items.toSorted(compareActivity);
    expect(sorted.map((item) => items.indexOf(item))).toEqual([2, 4, 1, 3, 0]);
  });

  test("continues after an event with the requests of its millisecond, and after a request without its events", () => {
    expect(resumeAfter(keyOf(event("2026-11-20T12:00:00.000000001Z")))).toEqual({
      events: ["2026-11-20T12:00:00.000000001Z", ""],
      requests: [Date.UTC(2026, 10, 20, 12) + 1, ""],
    });
    expect(resumeAfter(keyOf(request("2026-11-20T12:00:00.000Z", "b")))).toEqual({
      events: ["2026-11-20T12:00:00.000000000Z", ""],
      requests: [Date.UTC(2026, 10, 20, 12), "b"],
    });
  });
});
