/** Exports of views: `POST /v1/data/viewlist`, its URL, and its revocation. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { sweepExports } from "../../../src/analytics/exports/repository.ts";
import { ViewTable } from "../../../src/analytics/store/view-table.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { storeView } from "./beacon-helpers.ts";

const VIEWS = 25;
let workspace: TestWorkspace;
let titles: string[];
beforeAll(async () => {
  workspace = await newWorkspace();
  titles = Array.from({ length: VIEWS }, (_, n) => `Film ${n}`);
  for (const title of titles) await storeView(workspace.id, title);
});

interface Made {
  exportId: string;
  url: string;
  format: string;
  rows: number;
  expiresAt: string;
}

async function create(body: object, of = workspace): Promise<Made> {
  const answer = await of.request("POST", "/v1/data/viewlist", body);
  expect(answer.status).toBe(201);
  return (await answer.json<{ data: Made }>()).data;
}
const download = (url: string) => send(new Request(url));
const DAY_MS = 24 * 3600_000;

test.each(["json", "ndjson", "csv"])("a URL streams every view once as %s, without credentials", async (format) => {
  const made = await create({ format, fields: ["videoTitle", "watchTime"] });
  expect(made).toMatchObject({ format, rows: VIEWS });
  const answer = await download(made.url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-disposition")).toContain(`.${format}"`);
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  const text = await answer.text();
  for (const title of titles) expect(text.split(new RegExp(`${title}[",\\r]`))).toHaveLength(2);
});

test("views arrive in the order of their ends, over several months and over several pages of a store", async () => {
  const busy = await newWorkspace();
  const wanted: string[] = [];
  for (let daysAgo = 75; daysAgo >= 0; daysAgo -= 5) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - daysAgo * DAY_MS });
    for (let n = 0; n < 3; n++) wanted.push(await storeView(busy.id, "long".repeat(100_000)));
    vi.useRealTimers();
  }
  const page = vi.spyOn(ViewTable.prototype, "page");
  const now = Math.ceil(Date.now() / 1000);
  const { url } = await create({ timespan: [now - 80 * 86_400, now], fields: ["viewId", "viewEnd"] }, busy);
  const rows = await (await download(url)).json<{ viewId: string; viewEnd: string }[]>();
  const filled = page.mock.contexts.filter((_, n) => (page.mock.results[n]!.value as unknown[]).length > 0);
  page.mockRestore();
  const months = new Set(filled);
  expect(months.size).toBeGreaterThan(1);
  expect(filled.length).toBeGreaterThan(months.size); // a whole month has at least 15 views, and a page at most 11
  expect(rows.map(({ viewId }) => viewId).toSorted()).toEqual(wanted.toSorted());
  expect(rows.map(({ viewEnd }) => viewEnd)).toEqual(rows.map(({ viewEnd }) => viewEnd).toSorted());
});

test("exports are listed newest first with their question, without their URLs, until they expire or are revoked", async () => {
  const mine = await newWorkspace();
  const list = async (query = "") => {
    const answer = await mine.request("GET", `/v1/data/viewlist/exports${query}`);
    expect(answer.status).toBe(200);
    return await answer.json<{ data: { exportId: string }[]; pagination: object }>();
  };
  expect(await list()).toMatchObject({ data: [], pagination: { totalRecords: 0 } });
  const question = { timespan: [1000, 2000], filterby: ["!country:IT", "video_title:a:b"], fields: ["viewId"] };
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 120_000 });
  await create({ expiresIn: 60 }, mine); // has expired
  const first = await create({ ...question, format: "csv" }, mine);
  vi.useRealTimers();
  const second = await create({}, mine);

  const { data, pagination } = await list();
  expect(data.map(({ exportId }) => exportId)).toEqual([second.exportId, first.exportId]);
  expect(data[1]).toEqual({
    ...question,
    exportId: first.exportId,
    format: "csv",
    createdAt: expect.any(String),
    expiresAt: first.expiresAt,
  });
  expect(pagination).toEqual({ totalRecords: 2, currentOffset: 1, offsetCount: 1 });
  expect((await list("?limit=1&offset=2")).data.map(({ exportId }) => exportId)).toEqual([first.exportId]);
  await mine.request("DELETE", `/v1/data/viewlist/exports/${second.exportId}`);
  expect((await list()).data.map(({ exportId }) => exportId)).toEqual([first.exportId]);
});

test("filters and an absolute time span choose the views, and all fields come by default", async () => {
  const now = Math.ceil(Date.now() / 1000);
  const made = await create({ timespan: [now - 3600, now], filterby: ["video_title:Film 7"] });
  const rows = await (await download(made.url)).json<Record<string, unknown>[]>();
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ videoTitle: "Film 7", browserName: "Chrome", custom_10: null });
  expect(await (await download((await create({ timespan: [1000, 2000] })).url)).json()).toEqual([]);
});

test("a download has the same views as the first one, though others have ended since", async () => {
  const mine = await newWorkspace();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
  const first = await storeView(mine.id, "before");
  const { url } = await create({ timespan: "60:minutes" }, mine);
  vi.useRealTimers();
  await storeView(mine.id, "after");
  const rows = await (await download(url)).json<{ viewId: string }[]>();
  expect(rows.map(({ viewId }) => viewId)).toEqual([first]);
});

describe("a URL is refused", () => {
  test("when one bit of any part is changed", async () => {
    const { url, exportId } = await create({});
    const at = url.indexOf("token=") + 6;
    for (const position of [at + 2, at + 30, url.length - 2]) {
      const flipped = url[position] === "A" ? "B" : "A";
      const answer = await download(url.slice(0, position) + flipped + url.slice(position + 1));
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("forbidden")]);
    }
    const other = await create({});
    const token = new URL(other.url).searchParams.get("token")!;
    expect((await download(`http://sluice.test/exports/${exportId}.json?token=${token}`)).status).toBe(403);
    expect((await download(url.replace(/\?.*/, ""))).status).toBe(403);
  });

  test("after its expiry, and its record is then deleted", async () => {
    const { url, exportId } = await create({ expiresIn: 60 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    try {
      const answer = await download(url);
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("the export has expired")]);
    } finally {
      vi.useRealTimers();
    }
    await sweepExports(env, new Date(Date.now() + DAY_MS));
    const rows = await env.DB.prepare("SELECT id FROM view_exports WHERE id = ?").bind(exportId).all();
    expect(rows.results).toEqual([]);
  });

  test("after it was revoked, which only its workspace can do", async () => {
    const { url, exportId } = await create({});
    const stranger = await newWorkspace();
    expect((await stranger.request("DELETE", `/v1/data/viewlist/exports/${exportId}`)).status).toBe(404);
    expect((await download(url)).status).toBe(200);
    expect((await workspace.request("DELETE", `/v1/data/viewlist/exports/${exportId}`)).status).toBe(200);
    const answer = await download(url);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("revoked")]);
    expect((await workspace.request("DELETE", `/v1/data/viewlist/exports/${exportId}`)).status).toBe(404);
  });
});

test("a repeat with the same idempotency key gets the same URL, and one of another workspace does not", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const made = async (of: TestWorkspace) =>
    (await (await of.request("POST", "/v1/data/viewlist", {}, headers)).json<{ data: Made }>()).data;
  const first = await made(workspace);
  expect(await made(workspace)).toEqual(first);
  expect((await made(await newWorkspace())).exportId).not.toBe(first.exportId);
});

test(
  "a URL that is used a thousand times at once streams the same views each time",
  { timeout: 120_000, tags: ["full"] },
  async () => {
    const { url } = await create({ fields: ["viewId"], format: "ndjson" });
    const texts = await Promise.all(Array.from({ length: 1000 }, async () => await (await download(url)).text()));
    expect(texts[0]!.trim().split("\n")).toHaveLength(VIEWS);
    expect(new Set(texts).size).toBe(1);
  },
);

test("a download counts as an API request of its workspace", async () => {
  const { url } = await create({});
  const limiter = vi.spyOn(env.API_REQUESTS, "limit").mockResolvedValue({ success: false });
  const answer = await download(url);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(limiter).toHaveBeenCalledWith({ key: workspace.id });
  limiter.mockRestore();
});

test("an export has nothing of another workspace", async () => {
  const stranger = await newWorkspace();
  await storeView(stranger.id, "secret");
  const text = await (await download((await create({})).url)).text();
  expect(text).not.toContain("secret");
});

test.each([
  [{ format: "xml" }, "format"],
  [{ fields: ["password"] }, "fields"],
  [{ fields: [] }, "fields"],
  [{ expiresIn: 604_801 }, "expiresIn"],
  [{ expiresIn: 59 }, "expiresIn"],
  [{ expiresIn: "60" }, "expiresIn"],
  [{ filterby: ["nonsense:1"] }, "filterby"],
  [{ filterby: "country:IT" }, "filterby"],
  [{ timespan: "7:weeks" }, "timespan"],
  [{ timespan: [2000, 1000] }, "timespan"],
  [{ timespan: [1, 2, 3] }, "timespan"],
  [{ formt: "csv" }, "formt"],
])("%j is refused, and says what is wrong", async (body, field) => {
  const answer = await workspace.request("POST", "/v1/data/viewlist", body);
  const text = await answer.text();
  if (field === "formt") expect([answer.status, text]).toEqual([expect.any(Number), expect.stringContaining("format")]);
  else expect([answer.status, text]).toEqual([422, expect.stringContaining(field)]);
});
