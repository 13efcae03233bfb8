/** Lists of videos: sent, stored page by page, read again, deleted and swept. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { fetchList } from "../../../src/imports/lists/fetch-list.ts";
import { receiveList } from "../../../src/imports/lists/receive-list.ts";
import { openStoredRows } from "../../../src/imports/lists/stored-rows.ts";
import { sweepLists } from "../../../src/imports/lists/sweep-lists.ts";
import { importLists } from "../../../src/imports/lists/tables.ts";
import { openList } from "../../../src/imports/sources/list.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import type { Env } from "../../../src/platform/env.ts";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../workspace.ts";

const PATH = "/v1/imports/lists";
const URL_1 = "https://cdn.test/1.mp4";
const CSV = { "content-type": "text/csv" };
const NDJSON = { "content-type": "application/x-ndjson" };
const HOUR_MS = 3600_000;

interface ListAnswer {
  data: { listId: string; rows: number; errors: { row: number; message: string }[]; errorsTotal: number };
  warnings?: { field: string; message: string }[];
}

const sendList = (workspace: TestWorkspace, body: string, headers: Record<string, string> = CSV) =>
  workspace.request("POST", PATH, body, headers);

async function newList(workspace: TestWorkspace, body = `url\n${URL_1}`, headers = CSV): Promise<ListAnswer> {
  const answer = await sendList(workspace, body, headers);
  expect(answer.status).toBe(201);
  return await answer.json<ListAnswer>();
}

const fieldsOf = async (answer: Response) => [answer.status, (await answer.json<ErrorBody>()).error.fields];

const objectsOf = async (workspaceId: string) =>
  (await env.MEDIA.list({ prefix: `imports/${workspaceId}/` })).objects.map(({ key }) => key.split("/").at(-1) ?? "");
const rowsOf = (workspaceId: string) =>
  openDatabase(env.DB)
    .select()
    .from(importLists)
    .then((rows) => rows.filter((row) => row.workspaceId === workspaceId));

/** A body that is made while it is read. */
function streamOf(pieces: () => Iterator<string>): ReadableStream<Uint8Array> {
  const source = pieces();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = source.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
}

const sendStream = ({ authorization }: TestWorkspace, body: ReadableStream, headers: Record<string, string>) =>
  send(new Request(`http://sluice.test${PATH}`, { method: "POST", headers: { authorization, ...headers }, body }));

test("a list is stored in pages that a source reads, with its errors and unknown columns named", async () => {
  const workspace = await newWorkspace();
  const lines = Array.from({ length: 2500 }, (_, n) => `${n},https://cdn.test/${n}.mp4,Title ${n},red`);
  const file = ["id,url,title,colour", ...lines.slice(0, 10), "x,,no address,", ...lines.slice(10)].join("\n");
  const { data, warnings } = await newList(workspace, file);
  expect(data).toMatchObject({
    rows: 2500,
    errorsTotal: 1,
    errors: [{ row: 11, message: "url: must be the address of the file" }],
  });
  expect(warnings?.map(({ field }) => field)).toEqual(["colour"]);
  expect((await objectsOf(workspace.id)).toSorted()).toEqual(["0.ndjson", "1.ndjson", "2.ndjson", "ids"]);
  const read = await workspace.request("GET", `${PATH}/${data.listId.toUpperCase()}`);
  expect((await read.json<ListAnswer>()).data).toEqual(data);

  const rows = await openStoredRows(env, { workspaceId: workspace.id, listId: data.listId }, new Date());
  const source = openList(rows!, { allowsPrivateNetwork: false });
  const ids: string[] = [];
  for (let cursor: string | null = null, more = true; more;) {
    const page = await source.listPage(cursor, {});
    ids.push(...page.videos.map(({ id }) => id));
    cursor = page.next;
    more = cursor !== null;
  }
  expect(ids).toEqual(lines.map((_, n) => String(n)));
  expect(await source.describe("2499")).toMatchObject({ id: "2499", title: "Title 2499" });
  expect(await source.describe("2500")).toBeNull();
});

test("JSON and NDJSON are read by their type", async () => {
  const workspace = await newWorkspace();
  const item = JSON.stringify({ url: URL_1 });
  for (const [body, type] of [
    [`{"items":[${item},${item}]}`, "application/json"],
    [`${item}\n${item}`, "application/x-ndjson; charset=UTF-8"],
  ] as const)
    expect((await newList(workspace, body, { "content-type": type })).data.rows).toBe(2);
});

test("a file that cannot be used is refused with the reason, and leaves nothing behind", async () => {
  const workspace = await newWorkspace();
  expect(await fieldsOf(await sendList(workspace, "x", { "content-type": "text/html" }))).toEqual([
    422,
    [{ field: "content-type", message: "is not the type of a list" }],
  ]);
  expect(await fieldsOf(await sendList(workspace, `title\nx`))).toEqual([
    422,
    [{ field: "body", message: "has no column with the addresses of the files" }],
  ]);
  expect(await fieldsOf(await sendList(workspace, `url,createdAt\n${URL_1},soon\n,`))).toEqual([
    422,
    [
      { field: "row 1", message: "createdAt: must be a time such as 2026-05-20T12:50:15Z" },
      { field: "row 2", message: "url: must be the address of the file" },
    ],
  ]);
  const many = Array.from({ length: 3000 }, () => `{"url":"${URL_1}"}`).join("\n");
  expect(
    (await sendList(workspace, `[${many.replaceAll("\n", ",")}`, { "content-type": "application/json" })).status,
  ).toBe(422);
  expect(await objectsOf(workspace.id)).toEqual([]);
  expect(await rowsOf(workspace.id)).toEqual([]);
});

test("a file that says it is longer than 256 MiB is refused at once", async () => {
  const said = await sendList(await newWorkspace(), "url", { ...CSV, "content-length": String((256 << 20) + 1) });
  expect([said.status, (await said.json<ErrorBody>()).error.description]).toEqual([413, "at most 256 MiB"]);
});

test("a file that becomes longer than 256 MiB is refused when it does", { tags: ["full"] }, async () => {
  const workspace = await newWorkspace();
  const pageAndMore = `{"url":"${URL_1}"}\n`.repeat(1500);
  const blank = `${" ".repeat(200_000)}\n`;
  let sent = 0;
  function* endless() {
    for (let piece = pageAndMore; ; piece = blank) {
      sent += piece.length;
      yield piece;
    }
  }
  const became = await sendStream(workspace, streamOf(endless), NDJSON);
  expect(became.status).toBe(413);
  expect(sent).toBeLessThan((256 << 20) + (1 << 20) * 80);
  expect(await objectsOf(workspace.id)).toEqual([]);
  expect(await rowsOf(workspace.id)).toEqual([]);
});

test("500,000 videos are accepted, and one more is not", { tags: ["full"], timeout: 600_000 }, async () => {
  const workspace = await newWorkspace();
  const rows = (count: number) =>
    function* lines() {
      yield "id,url\n";
      for (let n = 0; n < count; n += 1000)
        yield Array.from(
          { length: Math.min(1000, count - n) },
          (_, at) => `${n + at},https://cdn.test/${n + at}\n`,
        ).join("");
    };
  const all = await sendStream(workspace, streamOf(rows(500_000)), CSV);
  const { data } = await all.json<ListAnswer>();
  expect([all.status, data.rows]).toEqual([201, 500_000]);
  const stored = await openStoredRows(env, { workspaceId: workspace.id, listId: data.listId }, new Date());
  expect((await stored!.page("499")).next).toBeNull();
  expect(await stored!.find("499999")).toMatchObject({ url: "https://cdn.test/499999" });
  const more = await sendStream(workspace, streamOf(rows(500_001)), CSV);
  expect(await fieldsOf(more)).toEqual([422, [{ field: "body", message: "has more than 500000 videos" }]]);
  expect(await rowsOf(workspace.id)).toHaveLength(1);
});

test("a list of more rows than are allowed leaves nothing behind", async () => {
  const workspace = await newWorkspace();
  async function* texts() {
    yield "url\n";
    for (let n = 0; n < 1500; n++) yield `https://cdn.test/${n}\n`;
  }
  const given = { workspaceId: workspace.id, format: "csv", now: new Date() } as const;
  await expect(receiveList(env, { ...given, maxRows: 1499 }, texts())).rejects.toMatchObject({
    code: "validation_failed",
  });
  expect([await rowsOf(workspace.id), await objectsOf(workspace.id)]).toEqual([[], []]);
  expect((await receiveList(env, { ...given, maxRows: 1500 }, texts())).list.rows).toBe(1500);
});

test("a connection that breaks leaves nothing behind", async () => {
  const workspace = await newWorkspace();
  function* broken() {
    for (let n = 0; n < 3000; n++) yield `{"url":"https://cdn.test/${n}"}\n`;
    throw new Error("the connection broke");
  }
  const answer = await sendStream(workspace, streamOf(broken), NDJSON);
  expect([answer.status, (await answer.json<ErrorBody>()).error.description]).toEqual([
    400,
    "the connection broke before the end of the file",
  ]);
  expect(await objectsOf(workspace.id)).toEqual([]);
  expect(await rowsOf(workspace.id)).toEqual([]);
});

test("a workspace has at most 20 lists, however many are sent at once", async () => {
  const workspace = await newWorkspace();
  const answers = await Promise.all(Array.from({ length: 25 }, () => sendList(workspace, `url\n${URL_1}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  const refused = answers.find(({ status }) => status !== 201)!;
  expect((await refused.json<ErrorBody>()).error).toMatchObject({ code: 400, message: "import list limit reached" });
});

test("a deleted list is gone with its objects; another workspace's is as unknown as none", async () => {
  const [workspace, other] = [await newWorkspace(), await newWorkspace()];
  const { listId } = (await newList(workspace)).data;
  const rows = await openStoredRows(env, { workspaceId: workspace.id, listId }, new Date());
  for (const method of ["GET", "DELETE"]) {
    const foreign = await other.request(method, `${PATH}/${listId}`);
    const unknown = await other.request(method, `${PATH}/${crypto.randomUUID()}`);
    expect([foreign.status, await foreign.text()]).toEqual([404, await unknown.text()]);
  }
  expect(await openStoredRows(env, { workspaceId: other.id, listId }, new Date())).toBeNull();
  expect(await (await workspace.request("DELETE", `${PATH}/${listId}`)).json()).toEqual({ success: true });
  expect((await workspace.request("GET", `${PATH}/${listId}`)).status).toBe(404);
  expect(await objectsOf(workspace.id)).toEqual([]);
  await expect(rows!.page(null)).rejects.toMatchObject({ code: "source_unreadable" });
});

test("the sweep removes what broke off an hour ago and what nobody has read for 30 days", async () => {
  const workspace = await newWorkspace();
  const { listId } = (await newList(workspace)).data;
  const now = Date.now();
  const createdAt = new Date(now - 2 * HOUR_MS);
  const broken: typeof importLists.$inferInsert = {
    id: crypto.randomUUID(),
    workspaceId: workspace.id,
    state: "receiving",
    format: "csv",
    rows: 0,
    pages: 0,
    errorsTotal: 0,
    errors: [],
    createdAt,
    usedAt: createdAt,
  };
  await openDatabase(env.DB).insert(importLists).values(broken);
  await env.MEDIA.put(`imports/${workspace.id}/lists/${broken.id}/0.ndjson`, "{}\n");

  await sweepLists(env, new Date(now));
  expect((await rowsOf(workspace.id)).map(({ id }) => id)).toEqual([listId]);
  expect(await objectsOf(workspace.id)).toHaveLength(2);

  await openStoredRows(env, { workspaceId: workspace.id, listId }, new Date(now + 20 * 24 * HOUR_MS));
  await sweepLists(env, new Date(now + 40 * 24 * HOUR_MS));
  expect(await rowsOf(workspace.id)).toHaveLength(1);
  // Each run has a limit, and other tests have left lists.
  for (let run = 0; run < 5; run++) await sweepLists(env, new Date(now + 51 * 24 * HOUR_MS));
  expect([await rowsOf(workspace.id), await objectsOf(workspace.id)]).toEqual([[], []]);
});

/** The environment of a Worker behind which one server answers every request. */
const behind = (answer: (url: URL) => Response): Env => ({
  ...env,
  ALLOW_PRIVATE_NETWORK: "true",
  SOURCE_NETWORK: {
    fetch: async (request: RequestInfo | URL) => answer(new URL(request instanceof Request ? request.url : request)),
  } as Fetcher,
});

test("a list at an address is fetched, also behind a redirect, and stored like one that is sent", async () => {
  const workspace = await newWorkspace();
  const served = behind(({ pathname }) =>
    pathname === "/old"
      ? new Response(null, { status: 302, headers: { location: "/list" } })
      : new Response(`url,title\n${URL_1},Gr\u00f6\u00dfe`, { headers: { "content-type": "text/csv; charset=utf-8" } }),
  );
  const given = { workspaceId: workspace.id, url: "http://127.0.0.1:9/old", format: null, now: new Date() };
  const { list } = await fetchList(served, given);
  const rows = await openStoredRows(env, { workspaceId: workspace.id, listId: list.id }, new Date());
  expect((await rows!.page(null)).rows).toMatchObject([{ url: URL_1, title: "Größe" }]);
});

test.each<[string, string, Response, { code: string; retryAfterMs: number | null }]>([
  [
    "a server that is down",
    "http://127.0.0.1:9/x.csv",
    new Response("", { status: 503, headers: { "retry-after": "7" } }),
    { code: "source_unavailable", retryAfterMs: 7000 },
  ],
  [
    "a file that is gone",
    "http://127.0.0.1:9/x.csv",
    new Response("", { status: 404 }),
    { code: "source_unavailable", retryAfterMs: null },
  ],
  [
    "another file",
    "http://127.0.0.1:9/x.json",
    new Response("<html>"),
    { code: "source_unreadable", retryAfterMs: null },
  ],
  [
    "a file of no known format",
    "http://127.0.0.1:9/x",
    new Response("url"),
    { code: "source_unreadable", retryAfterMs: null },
  ],
  [
    "an address of another scheme",
    "ftp://127.0.0.1/x.csv",
    new Response(""),
    { code: "invalid_url", retryAfterMs: null },
  ],
])("%s is a failure of the source, and leaves nothing behind", async (_, url, response, failure) => {
  const workspace = await newWorkspace();
  const given = { workspaceId: workspace.id, url, format: null, now: new Date() };
  await expect(
    fetchList(
      behind(() => response),
      given,
    ),
  ).rejects.toMatchObject({ name: "SourceFailure", ...failure });
  expect([await rowsOf(workspace.id), await objectsOf(workspace.id)]).toEqual([[], []]);
});
