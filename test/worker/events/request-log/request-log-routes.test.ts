import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { requestLogs } from "../../../../src/events/request-log/tables.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../../workspace.ts";

const db = openDatabase(env.DB);

interface Line {
  id: string;
  at: string;
  method: string;
  status: number;
  resourceIds: string[];
}
interface LinesPage {
  success: true;
  data: Line[];
  pagination: { limit: number; nextCursor: string | null };
}

const noon = Date.UTC(2026, 4, 20, 12);
const list = async (workspace: TestWorkspace, query = ""): Promise<LinesPage> =>
  (await workspace.request("GET", `/v1/request-logs${query && `?${query}`}`)).json<LinesPage>();

/** A row of the log from days before this test. */
async function addLine(workspace: TestWorkspace, more: Partial<typeof requestLogs.$inferInsert> = {}): Promise<string> {
  const id = crypto.randomUUID();
  const row = { method: "GET", route: "/v1/on-demand", status: 200, durationMs: 12, resourceIds: [], resourceId: null };
  const ids = { id, workspaceId: workspace.id, requestId: "r1", credentialId: "c1" };
  await db.insert(requestLogs).values({ ...row, ...ids, at: new Date(noon), ...more });
  return id;
}

describe("GET /v1/request-logs", () => {
  test("lists requests newest first, including the previous one", async () => {
    const workspace = await newWorkspace();
    const old = await addLine(workspace);
    await workspace.request("GET", "/v1/event-types");
    const { success, data, pagination } = await list(workspace);
    expect([success, pagination]).toEqual([true, { limit: 25, nextCursor: null }]);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ method: "GET", route: "/v1/event-types", status: 200, resourceIds: [] });
    expect(data[1]).toEqual({
      id: old,
      at: "2026-05-20T12:00:00.000000Z",
      method: "GET",
      route: "/v1/on-demand",
      status: 200,
      durationMs: 12,
      requestId: "r1",
      credentialId: "c1",
      resourceIds: [],
    });
  });

  test("filters by method, by status and by class of status", async () => {
    const workspace = await newWorkspace();
    const to = "to=2026-05-21T00:00:00Z"; // without the requests of this test
    for (const [method, status] of [
      ["GET", 200],
      ["POST", 201],
      ["POST", 399],
      ["POST", 400],
      ["GET", 404],
      ["PATCH", 499],
      ["GET", 500],
    ] as const)
      await addLine(workspace, { method, status });
    const statusesOf = async (query: string) =>
      (await list(workspace, `${query}&${to}`)).data.map(({ status }) => status).sort((a, b) => a - b);
    expect(await statusesOf("method=POST")).toEqual([201, 399, 400]);
    expect(await statusesOf("method=DELETE")).toEqual([]);
    expect(await statusesOf("status=404")).toEqual([404]);
    expect(await statusesOf("status=4xx")).toEqual([400, 404, 499]);
    expect(await statusesOf("status=5xx")).toEqual([500]);
    expect(await statusesOf("status=4xx&method=GET")).toEqual([404]);
  });

  test("filters by resource id in either case", async () => {
    const workspace = await newWorkspace();
    const [mediaId, trackId] = [crypto.randomUUID(), crypto.randomUUID()];
    const mine = await addLine(workspace, { resourceIds: [mediaId, trackId], resourceId: mediaId });
    await addLine(workspace, { resourceIds: [trackId], resourceId: trackId });
    const { data } = await list(workspace, `resourceId=${mediaId.toUpperCase()}`);
    expect(data.map(({ id, resourceIds }) => [id, resourceIds])).toEqual([[mine, [mediaId, trackId]]]);
  });

  test("filters by time, including the start and excluding the end", async () => {
    const workspace = await newWorkspace();
    const ids: string[] = [];
    for (const ms of [-1, 0, 999, 1000]) ids.push(await addLine(workspace, { at: new Date(noon + ms) }));
    const { data } = await list(workspace, "from=2026-05-20T12:00:00Z&to=2026-05-20T12:00:01Z");
    expect(data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  });

  test("pages through all requests once, also with equal times and although each page adds a request", async () => {
    const workspace = await newWorkspace();
    const ids: string[] = [];
    for (let n = 0; n < 11; n += 1) ids.push(await addLine(workspace, { at: new Date(noon + (n % 2)) }));
    const seen: Line[] = [];
    let pages = 0;
    for (let cursor: string | null = ""; cursor !== null; pages += 1) {
      const page: LinesPage = await list(workspace, `limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data);
      cursor = page.pagination.nextCursor;
    }
    expect(pages).toBe(3);
    expect(seen.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect(seen.map(({ at }) => at)).toEqual(
      seen
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
  });

  test.each([
    ["method=get", "method", "is invalid"],
    ["method=BREW", "method", "is invalid"],
    ["status=4x", "status", "is invalid"],
    ["status=600", "status", "is invalid"],
    ["status=xxx", "status", "is invalid"],
    ["resourceId=", "resourceId", "is invalid"],
    [`resourceId=${"x".repeat(65)}`, "resourceId", "is invalid"],
    ["from=1779278400", "from", "is invalid"],
    ["from=2026-05-20T12:00:01Z&to=2026-05-20T12:00:00Z", "to", "is before from"],
    ["limit=101", "limit", "is invalid"],
    ["cursor=%7B%7D", "cursor", "is invalid"],
    ["cursor=WyIyMDI2Il0", "cursor", "is invalid"],
  ])("refuses %s and names the field", async (query, field, message) => {
    const workspace = await newWorkspace();
    const response = await workspace.request("GET", `/v1/request-logs?${query}`);
    expect(response.status).toBe(422);
    expect((await response.json<ErrorBody>()).error.fields).toEqual([{ field, message }]);
  });
});
