/** Batches as the API makes them: the real object, its alarms and the real clock, over lists. */
import { env, runInDurableObject } from "cloudflare:test";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { ImportBatch } from "../../../durable-objects/import-batch.ts";
import { importLists } from "../../../src/imports/lists/tables.ts";
import { assets } from "../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { openSourceServer } from "../library/sources/source-servers.ts";
import { addRung } from "../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { typesOf } from "./batch-facts.ts";

interface Import {
  id: string;
  status: string;
  source: Record<string, unknown>;
  counts: Record<string, number>;
  problem?: { code: string; message: string };
}
interface Item {
  sourceId: string;
  status: string;
  sourceUrl?: string;
  mediaId?: string;
  error?: { code: string };
}
interface Page<Row> {
  data: Row[];
  pagination: { nextCursor: string | null };
}

async function create(workspace: TestWorkspace, body: object): Promise<Import> {
  const answer = await workspace.request("POST", "/v1/imports", body);
  expect(answer.status).toBe(201);
  return (await answer.json<{ data: Import }>()).data;
}
const read = async (workspace: TestWorkspace, id: string) =>
  (await (await workspace.request("GET", `/v1/imports/${id}`)).json<{ data: Import }>()).data;
const page = async <Row>(workspace: TestWorkspace, path: string) =>
  await (await workspace.request("GET", path)).json<Page<Row>>();

async function readyAll(batchId: string): Promise<void> {
  await openDatabase(env.DB)
    .update(assets)
    .set({ status: "ready", durationMs: 5000, heightPx: 360 })
    .where(sql`${assets.id} IN (SELECT media_id FROM imported_videos WHERE batch_id = ${batchId})`);
}

test("an inline list is scanned, submitted and verified; a private or unknown address fails its item alone", async () => {
  const workspace = await newWorkspace();
  const items = [
    { id: "good", url: "https://cdn.test/a.mp4?signature=very-secret", title: "Good", playbackId: "old" },
    { id: "bad", url: "ftp://cdn.test/a.mp4" },
  ];
  const { id, source } = await create(workspace, { source: { type: "list", items } });
  expect(source).toEqual({ type: "list" });
  await expect
    .poll(async () => (await read(workspace, id)).counts)
    .toMatchObject({ total: 2, submitted: 1, failed: 1 });
  await readyAll(id);
  const [good] = (await page<Item>(workspace, `/v1/imports/${id}/items`)).data;
  await addRung(good!.mediaId!); // which is played before it counts as verified
  await expect.poll(async () => (await read(workspace, id)).status).toBe("done");
  const { data } = await page<Item>(workspace, `/v1/imports/${id}/items`);
  expect(data).toMatchObject([
    { sourceId: "good", status: "ready", sourceUrl: "https://cdn.test/a.mp4", mediaId: expect.any(String) },
    { sourceId: "bad", status: "failed", error: { code: "invalid_url" } },
  ]);
  await expect.poll(() => typesOf(id)).toEqual(["started", "completed"]);
});

test("a list at an address is fetched once; the address is shown without its query", async () => {
  const workspace = await newWorkspace();
  const server = await openSourceServer();
  await server.add("/videos.csv", {
    kind: "content",
    text: "id,url\na,https://cdn.test/a.mp4\nb,https://cdn.test/b.mp4\n",
    contentType: "text/csv",
  });
  const url = `${server.origin}/videos.csv?signature=very-secret`;
  const created = await create(workspace, { source: { type: "list", url }, dryRun: true });
  expect(created.source).toEqual({ type: "list", url: `${server.origin}/videos.csv` });
  await expect.poll(async () => (await read(workspace, created.id)).status).toBe("scanned");
  expect(await read(workspace, created.id)).toMatchObject({ counts: { total: 2 } });
  const fetched = await server.requests("/videos.csv");
  expect(fetched).toHaveLength(1);
  const report = await (await workspace.request("GET", `/v1/imports/${created.id}/report?format=html`)).text();
  expect(report).not.toContain("very-secret");
  const left = openDatabase(env.DB).select().from(importLists).where(eq(importLists.workspaceId, workspace.id));
  expect(await left).toEqual([]); // nobody could list or delete it
});

test("a list of the workspace is read by its id; once it was read it may be deleted, and is refused then", async () => {
  const workspace = await newWorkspace();
  const sent = await workspace.request("POST", "/v1/imports/lists", [{ url: "https://cdn.test/a.mp4" }]);
  const { listId } = (await sent.json<{ data: { listId: string } }>()).data;
  const { id } = await create(workspace, { source: { type: "list", listId }, dryRun: true });
  await expect.poll(async () => (await read(workspace, id)).status).toBe("scanned");
  await workspace.request("DELETE", `/v1/imports/lists/${listId}`);
  const later = await workspace.request("POST", "/v1/imports", { source: { type: "list", listId } });
  expect(later.status).toBe(404);
  await runInDurableObject(env.IMPORT_BATCH.get(env.IMPORT_BATCH.idFromName(id)), ({ components }: ImportBatch) => {
    components.source = null; // as after a restart
  });
  await workspace.request("POST", `/v1/imports/${id}/start`);
  await expect.poll(async () => (await read(workspace, id)).counts).toMatchObject({ submitted: 1 });
});

test("items are paged, and chosen by their state; batches are paged, newest first", async () => {
  const workspace = await newWorkspace();
  const items = Array.from({ length: 7 }, (_, n) => ({
    id: `v${n}`,
    url: n % 2 === 0 ? `https://cdn.test/${n}.mp4` : `ftp://cdn.test/${n}`,
  }));
  const made: string[] = [];
  for (let n = 0; n < 3; n++)
    made.push((await create(workspace, { source: { type: "list", items }, dryRun: true })).id);
  const [id] = made as [string];
  await expect.poll(async () => (await read(workspace, id)).status).toBe("scanned");
  const seen: string[] = [];
  for (let cursor = ""; ;) {
    const { data, pagination } = await page<Item>(workspace, `/v1/imports/${id}/items?status=failed&limit=2${cursor}`);
    seen.push(...data.map(({ sourceId, status }) => `${sourceId} ${status}`));
    if (pagination.nextCursor === null) break;
    cursor = `&cursor=${encodeURIComponent(pagination.nextCursor)}`;
  }
  expect(seen).toEqual(["v1 failed", "v3 failed", "v5 failed"]);
  const first = await page<Import>(workspace, "/v1/imports?limit=2");
  const second = await page<Import>(
    workspace,
    `/v1/imports?limit=2&cursor=${encodeURIComponent(first.pagination.nextCursor ?? "")}`,
  );
  expect([...first.data, ...second.data].map((batch) => batch.id).toSorted()).toEqual(made.toSorted());
  expect([first.data.length, second.pagination.nextCursor]).toEqual([2, null]);
});

test.each([
  [
    "a list with credentials",
    { source: { type: "list", items: [{ url: "https://cdn.test/a.mp4" }] }, credentials: {} },
    "credentials",
  ],
  ["a platform without credentials", { source: { type: "mux" } }, "credentials"],
  ["credentials of another form", { source: { type: "mux" }, credentials: { apiKey: "x" } }, "credentials.tokenId"],
  ["no source", {}, "source"],
  [
    "an unknown field",
    { source: { type: "list", items: [{ url: "https://cdn.test/a.mp4" }] }, dryrun: true },
    "dryrun",
  ],
])("%s is refused by its field, and the answer repeats no secret", async (_, body, field) => {
  const workspace = await newWorkspace();
  const answer = await workspace.request("POST", "/v1/imports", body);
  const { error } = await answer.json<{ error: { fields?: { field: string }[] } }>();
  expect([answer.status, error.fields?.map((issue) => issue.field)]).toEqual([422, expect.arrayContaining([field])]);
});
