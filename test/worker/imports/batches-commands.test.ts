/** What the owner asks of a batch, while 32 items are in flight. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { importCredentials } from "../../../src/imports/credentials/tables.ts";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../workspace.ts";
import { type BatchBench, newBatch } from "./batch-bench.ts";
import { eventsOf, mediaOf, typesOf } from "./batch-facts.ts";
import { FakeSource, videos } from "./fake-source.ts";

const IN_FLIGHT = 32;

/** Works on 32 items at once, each of which must be prepared at the source, and switched back. */
function preparingSource(count: number): FakeSource {
  const source = new FakeSource(videos(count));
  source.pace.concurrency = IN_FLIGHT;
  source.needsRelease = true;
  source.file = ({ id }, state) =>
    state === null
      ? { status: "waiting", retryAfterMs: 60_000, state: { order: `of ${id}` } }
      : { status: "ready", url: `https://cdn.test/${id}.mp4`, expiresAtMs: null };
  return source;
}

async function newCredential(workspace: TestWorkspace, keep = false): Promise<string> {
  const credentials = { tokenId: "id", tokenSecret: "secret" };
  const answer = await workspace.request("POST", "/v1/imports/credentials", { source: "mux", credentials, keep });
  return (await answer.json<{ data: { credentialId: string } }>()).data.credentialId;
}

const hasCredential = async (id: string) =>
  (await openDatabase(env.DB).select({ id: importCredentials.id }).from(importCredentials)).some(
    (row) => row.id === id,
  );

const ask = async (workspace: TestWorkspace, batch: BatchBench, name: string, body?: object) => {
  const answer = await workspace.request("POST", `/v1/imports/${batch.id}/${name}`, body);
  const { data, error } = await answer.json<{ data?: { status: string; counts: object } } & Partial<ErrorBody>>();
  return { code: answer.status, status: data?.status, counts: data?.counts, error };
};

test("cancel while 32 are asked for: they end, what was opened is closed, and the batch completes once", async () => {
  const workspace = await newWorkspace();
  const source = preparingSource(100);
  const credentialId = await newCredential(workspace);
  const batch = await newBatch({ workspace, source, credentialId });
  let cancelled: Promise<unknown> | null = null;
  source.before = async (method) => {
    if (method === "resolve" && source.countOf("resolve") === IN_FLIGHT)
      cancelled ??= batch.command({ name: "cancel" });
    if (method === "resolve") await cancelled;
  };
  const view = await batch.finish();
  expect(cancelled).not.toBeNull();
  expect(view).toMatchObject({ state: "cancelled", counts: { total: 100, pending: 0, submitted: 0, failed: 100 } });
  expect([...source.switched]).toEqual([]);
  expect(source.countOf("release")).toBe(source.countOf("resolve"));
  expect(await mediaOf(workspace.id)).toEqual([]);
  expect((await typesOf(batch.id)).filter((type) => type === "completed")).toHaveLength(1);
  expect(await hasCredential(credentialId)).toBe(false);
  expect(await batch.row()).toMatchObject({ state: "cancelled", completedAt: expect.any(Date) });
});

test("release is told what was ordered, also of a file that was never fetched", async () => {
  const workspace = await newWorkspace();
  const source = preparingSource(2);
  const released: unknown[] = [];
  source.release = async ({ ref }) => void released.push(ref["order"]);
  const batch = await newBatch({ workspace, source });
  await batch.turn();
  await batch.command({ name: "cancel" });
  await batch.finish();
  expect(new Set(released)).toEqual(new Set(["of v0", "of v1"]));
  expect(released).toHaveLength(2);
});

test("cancel while 32 media are in preparation: they are followed to their end, and are no failures", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(200));
  source.pace.concurrency = IN_FLIGHT;
  source.needsRelease = true;
  const batch = await newBatch({ workspace, source });
  await batch.until(({ counts }) => counts.submitted >= IN_FLIGHT);
  const { counts } = await batch.view();
  expect(await ask(workspace, batch, "cancel")).toMatchObject({
    code: 200,
    status: "cancelled",
    counts: { pending: 0 },
  });
  expect(await typesOf(batch.id)).not.toContain("completed");
  expect(await batch.finish()).toMatchObject({
    state: "cancelled",
    counts: { ready: counts.submitted, failed: 200 - counts.submitted },
  });
  expect([...source.switched]).toEqual([]);
  const completed = (await eventsOf(batch.id)).filter(({ type }) => type === "completed");
  expect(completed.map(({ data }) => [data["status"], data["failedItemsTotal"]])).toEqual([
    ["cancelled", 200 - counts.submitted],
  ]);
});

test("a cancelled batch whose source refuses the credentials completes all the same, and says what stays open", async () => {
  const workspace = await newWorkspace();
  const source = preparingSource(3);
  const batch = await newBatch({ workspace, source });
  await batch.turn();
  source.before = () => {
    throw new SourceFailure("credentials_invalid", "The source refused the credentials.");
  };
  await batch.command({ name: "cancel" });
  expect(await batch.finish()).toMatchObject({ state: "cancelled", counts: { failed: 3 } });
  for (const { differences } of await batch.items()) expect(differences).toMatchObject([{ field: "source" }]);
  expect((await batch.row()).completedAt).not.toBeNull();
});

test("a cancelled batch whose credentials were deleted completes, too", async () => {
  const workspace = await newWorkspace();
  const source = preparingSource(3);
  const batch = await newBatch({ workspace, source });
  await batch.turn();
  batch.restart();
  batch.beforeOpen = () => {
    throw new SourceFailure("credentials_invalid", "The credentials of this batch were deleted.");
  };
  await batch.command({ name: "cancel" });
  expect(await batch.finish()).toMatchObject({ state: "cancelled", counts: { failed: 3 } });
  expect((await batch.row()).completedAt).not.toBeNull();
});

test("a release that fails for a while is repeated, and the batch is not done before", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(3));
  source.needsRelease = true;
  let failures = 0;
  source.before = (method) => {
    if (method === "release" && failures++ < 4)
      throw new SourceFailure("source_unavailable", "The source does not answer.", { retryAfterMs: 10_000 });
  };
  const batch = await newBatch({ workspace, source });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 3 } });
  expect([...source.switched]).toEqual([]);
});

test("pause while 32 are asked for: no media is made until it resumes, and then each once", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(50));
  source.pace.concurrency = IN_FLIGHT;
  const batch = await newBatch({ workspace, source });
  let paused: Promise<unknown> | null = null;
  source.before = async (method) => {
    if (method === "resolve" && source.countOf("resolve") === IN_FLIGHT) paused ??= batch.command({ name: "pause" });
    if (method === "resolve") await paused;
  };
  const view = await batch.finish();
  expect(view).toMatchObject({ state: "paused", problem: null });
  expect(await mediaOf(workspace.id)).toHaveLength(view.counts.ready);
  expect(view.counts.ready).toBeLessThan(IN_FLIGHT);
  expect(await ask(workspace, batch, "resume")).toMatchObject({ code: 200, status: "running" });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 50, failed: 0 } });
  expect(await mediaOf(workspace.id)).toHaveLength(50);
});

test("media of a paused batch are followed to their end", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(40));
  const batch = await newBatch({ workspace, source });
  await batch.until(({ counts }) => counts.submitted >= IN_FLIGHT);
  await batch.command({ name: "pause" });
  const { counts } = await batch.finish();
  expect(counts).toMatchObject({ submitted: 0, ready: expect.any(Number) });
  expect(counts.ready).toBeGreaterThanOrEqual(IN_FLIGHT);
  expect(await batch.row()).toMatchObject({ state: "paused", counts: { submitted: 0 } });
});

test("a pause in the scan resumes in the scan, at the same page", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(30));
  const batch = await newBatch({ workspace, source });
  source.before = async (_, cursor) => {
    if (cursor === "10") await batch.command({ name: "pause" });
  };
  expect(await batch.finish()).toMatchObject({ state: "paused", scanned: 20, startedAtMs: null });
  source.before = () => undefined;
  expect(await ask(workspace, batch, "resume")).toMatchObject({ code: 200, status: "scanning" });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 30 } });
  expect(source.calls.filter(({ method }) => method === "listPage").map(({ about }) => about)).toEqual([
    null,
    "10",
    "20",
  ]);
});

test("resume with other credentials goes on, and those before are deleted; kept ones are not", async () => {
  const workspace = await newWorkspace();
  const [first, second, third] = [
    await newCredential(workspace),
    await newCredential(workspace, true),
    await newCredential(workspace),
  ];
  const source = new FakeSource(videos(20));
  const refuse = () => {
    throw new SourceFailure("credentials_invalid", "The source refused the credentials.");
  };
  source.before = (method) => (method === "resolve" ? refuse() : undefined);
  const batch = await newBatch({ workspace, source, credentialId: first });
  for (const credentialId of [second, third]) {
    expect(await batch.finish()).toMatchObject({ state: "paused", problem: { code: "credentials_invalid" } });
    const refused = await ask(workspace, batch, "resume", { credentialId: crypto.randomUUID() });
    expect(refused).toMatchObject({ code: 404 });
    expect(await ask(workspace, batch, "resume", { credentialId })).toMatchObject({ code: 200, status: "running" });
  }
  source.before = () => undefined;
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 20 } });
  expect(batch.opened).toEqual([first, second, third]);
  expect([await hasCredential(first), await hasCredential(second), await hasCredential(third)]).toEqual([
    false,
    true,
    false,
  ]);
});

test("a resume that is refused changes no credentials", async () => {
  const workspace = await newWorkspace();
  const [own, other] = [await newCredential(workspace), await newCredential(workspace)];
  const batch = await newBatch({ workspace, source: new FakeSource(videos(2)), credentialId: own });
  expect(await ask(workspace, batch, "resume", { credentialId: other })).toMatchObject({ code: 409 });
  expect(await batch.row()).toMatchObject({ credentialId: own });
  expect(await hasCredential(own)).toBe(true);
  await batch.finish();
  expect([await hasCredential(own), await hasCredential(other)]).toEqual([false, true]);
});

test("credentials that a retry was given are deleted when it has ended", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(1));
  const batch = await newBatch({ workspace, source, credentialId: await newCredential(workspace) });
  await batch.until(({ counts }) => counts.submitted === 1);
  await batch.failAll("not_a_video");
  await batch.until();
  const later = await newCredential(workspace);
  batch.beforeOpen = ({ credentialId }) => {
    if (credentialId !== later) throw new SourceFailure("credentials_invalid", "They were deleted.");
  };
  expect(await ask(workspace, batch, "retry")).toMatchObject({ code: 200, status: "running" });
  batch.restart();
  expect(await batch.until()).toMatchObject({ state: "paused", problem: { code: "credentials_invalid" } });
  expect(await ask(workspace, batch, "resume", { credentialId: later })).toMatchObject({
    code: 200,
    status: "running",
  });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(await hasCredential(later)).toBe(false);
});

test("a batch that is cancelled while it is run again ends, too", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(3));
  const batch = await newBatch({ workspace, source });
  await batch.until(({ counts }) => counts.submitted === 3);
  await batch.failAll("not_a_video");
  await batch.until();
  expect(await ask(workspace, batch, "retry")).toMatchObject({ code: 200, status: "running", counts: { pending: 3 } });
  expect(await ask(workspace, batch, "cancel")).toMatchObject({
    code: 200,
    status: "cancelled",
    counts: { failed: 3 },
  });
  await batch.until();
  expect((await batch.row()).completedAt).not.toBeNull();
  expect((await typesOf(batch.id)).filter((type) => type === "completed")).toHaveLength(1);
});

test("each command answers the state after it, and 409 where the state does not accept it", async () => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource(videos(3)) });
  expect(await ask(workspace, batch, "start")).toMatchObject({
    code: 409,
    error: { description: "a batch that is scanning cannot do this: start" },
  });
  expect(await ask(workspace, batch, "pause", {})).toMatchObject({ code: 200, status: "paused" });
  expect(await ask(workspace, batch, "pause", {})).toMatchObject({ code: 409 });
  expect(await ask(workspace, batch, "resume", {})).toMatchObject({ code: 200, status: "scanning" });
  await batch.finish();
  for (const name of ["start", "pause", "resume", "cancel"])
    expect(await ask(workspace, batch, name)).toMatchObject({ code: 409 });
  expect(await ask(workspace, batch, "retry", { items: ["v0"] })).toMatchObject({
    code: 200,
    status: "running",
    counts: { ready: 3, pending: 0 },
  });
  const unknown = await workspace.request("POST", `/v1/imports/${crypto.randomUUID()}/pause`);
  const foreign = await (await newWorkspace()).request("POST", `/v1/imports/${batch.id}/pause`);
  expect([unknown.status, await foreign.text()]).toEqual([404, await unknown.text()]);
});
