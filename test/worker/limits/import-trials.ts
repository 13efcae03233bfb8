/** Limits of migrations: what a workspace may have, and what a source or a list can make a batch do. */
import { env } from "cloudflare:test";
import { COMPLETED, announceState } from "../../../src/imports/batch-machine/announce.ts";
import { boundVideo } from "../../../src/imports/batch-machine/bound-video.ts";
import { scanStep } from "../../../src/imports/batch-machine/scan.ts";
import { submitSome } from "../../../src/imports/batch-machine/submit.ts";
import { batchTimers } from "../../../src/imports/batch-machine/timers.ts";
import { importBatches } from "../../../src/imports/store/tables.ts";
import { connect } from "../../../src/imports/connections/connect.ts";
import { requireAnswer } from "../../../src/imports/connections/read-reply.ts";
import { importCredentials } from "../../../src/imports/credentials/tables.ts";
import { importHosts } from "../../../src/imports/hosts/tables.ts";
import { decodeText } from "../../../src/imports/lists/parse/decode-text.ts";
import { importLists } from "../../../src/imports/lists/tables.ts";
import type { ListedVideo, SourceFailure } from "../../../src/imports/sources/source.ts";
import { commit, openDatabase, type Statement } from "../../../src/platform/database.ts";
import { type Problem, PROBLEMS } from "../../../src/platform/http/problems.ts";
import { atLeast, TAKEN, type Trial, until, upTo } from "../../support/limits/trials.ts";
import { openSourceServer } from "../library/sources/source-servers.ts";
import { inBatch, listed } from "../imports/in-batch.ts";
import { countQueries } from "../imports/count-queries.ts";
import { newWorkspace, send } from "../workspace.ts";
import { verdictOf } from "./api-trials.ts";
import { guessed } from "./platform-trials.ts";
import { after } from "./time-trials.ts";

const db = openDatabase(env.DB);
const now = new Date();
const items = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `${n}`, url: "ftp://cdn.test/a.mp4" }));
const LIST = { type: "list", items: items(1) };
const DRY_RUN = { source: LIST, dryRun: true };
const create = async (more: object) =>
  verdictOf(await (await newWorkspace()).request("POST", "/v1/imports", { ...DRY_RUN, ...more }));

/** A workspace that has one record less than the bound may make one more, and then none. */
const ofWorkspace =
  (
    rowOf: (workspaceId: string, n: number) => Statement,
    method: "POST" | "PUT",
    path: string,
    bodyOf: (n: number) => unknown,
  ): Trial =>
  async (bound) => {
    const workspace = await newWorkspace();
    await commit(
      env.DB,
      Array.from({ length: bound - 1 }, (_, n) => rowOf(workspace.id, n)),
    );
    const make = async (n: number) => verdictOf(await workspace.request(method, path, bodyOf(n)));
    return { atBound: await make(0), above: await make(1) };
  };

const openBatch = (workspaceId: string) =>
  db.insert(importBatches).values({
    id: crypto.randomUUID(),
    workspaceId,
    source: "mux",
    request: { options: {}, selection: {}, settings: {}, dryRun: false, publicUrl: "http://sluice.test" },
    state: "paused",
    counts: {},
    createdAt: now,
    updatedAt: now,
  });
const list = (workspaceId: string) =>
  db.insert(importLists).values({
    id: crypto.randomUUID(),
    workspaceId,
    state: "complete",
    format: "csv",
    rows: 1,
    pages: 1,
    errorsTotal: 0,
    errors: [],
    createdAt: now,
    usedAt: now,
  });
const credential = (workspaceId: string) =>
  db.insert(importCredentials).values({
    id: crypto.randomUUID(),
    workspaceId,
    source: "mux",
    sealed: "k1.",
    fields: [],
    keep: true,
    createdAt: now,
  });
const host = (workspaceId: string, n: number) =>
  db.insert(importHosts).values({
    host: `${n}.${workspaceId}.com`,
    workspaceId,
    source: "mux",
    publicUrl: "http://a.test",
    createdAt: now,
  });
const newHost = (n: number) => `${n}.${crypto.randomUUID()}.com`;
const mapped = async (name: string) =>
  verdictOf(await (await newWorkspace()).request("PUT", "/v1/imports/hosts", { host: name, source: "mux" }));
const MUX = { source: "mux", credentials: { tokenId: "id", tokenSecret: "secret" } };

/** The errors that the answer to a list of so many wrong rows names. */
async function errorsNamed(rows: number): Promise<string> {
  const workspace = await newWorkspace();
  const wrong = Array.from({ length: rows }, () => ({ title: "no address" }));
  const answer = await workspace.request("POST", "/v1/imports/lists", [{ url: "https://cdn.test/a.mp4" }, ...wrong]);
  const { data } = await answer.json<{ data: { errors: unknown[]; errorsTotal: number } }>();
  if (data.errorsTotal !== rows) return `${data.errorsTotal} are wrong`;
  return data.errors.length === rows ? TAKEN : "not named";
}

const PIECE = new Uint8Array(1 << 20).fill(0x20);
async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  for (let left = count; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
}
async function decoded(count: number): Promise<string> {
  let length = 0;
  try {
    for await (const text of decodeText(bytes(count), null)) length += text.length;
    return length === count ? TAKEN : `${length} characters`;
  } catch (error) {
    return String(PROBLEMS[(error as Problem).code].status);
  }
}

/** A call of a source's API, which is at this address. */
async function called(url: string): Promise<string> {
  const pace = { readsPerSecond: 100, writesPerSecond: 100, concurrency: 1 };
  const source = connect(env, { name: "Mux", base: new URL(url).origin, isStandIn: true, pace });
  try {
    await source.send({ url });
    return TAKEN;
  } catch (error) {
    return (error as SourceFailure).code;
  }
}
async function answerOf(sizeBytes: number): Promise<string> {
  const server = await openSourceServer();
  return await called(await server.add("/videos", { kind: "content", sizeBytes }));
}
async function answerAfter(ms: number): Promise<string> {
  const server = await openSourceServer();
  const url = await server.add("/videos", { kind: "content", sizeBytes: 9999, hangAfterBytes: 99 });
  return await after(
    ms,
    () => called(url),
    async () => (await server.requests("/videos")).length > 0,
  );
}

/** The pause after an answer that asks for this one. */
function paused(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  try {
    requireAnswer("Mux", 429, new Headers({ "retry-after": String(seconds) }), "", 0);
    return "none";
  } catch (error) {
    return (error as SourceFailure).retryAfterMs === seconds * 1000 ? TAKEN : "cut";
  }
}

/** Items beside which a batch lists one more. The others have ended. */
const listedBeside = (others: number) =>
  inBatch(listed(items(1)), async ({ batch, addMany }) => {
    addMany(others, "ready");
    await scanStep(batch);
    const { total } = batch.items.counts;
    if (total === others + 1) return TAKEN;
    return batch.documents.get("scanProblem")?.code === "item_limit_reached" ? "left out" : "nothing is said";
  });

/** Media in preparation, beside which a batch submits one more. */
const submittedBeside = (others: number) =>
  inBatch(listed([{ id: "one more", url: "http://127.0.0.1:9/a.mp4" }]), async ({ batch, addMany }) => {
    await scanStep(batch);
    await scanStep(batch); // the end of the list
    addMany(others, "submitted");
    await submitSome(batch, { items: 1, untilMs: Infinity });
    const { pending, submitted } = batch.items.counts;
    if (submitted === others + 1) return TAKEN;
    return pending === 1 ? "waits" : "lost";
  });

/** Whether progress is announced so long after the event before. */
const announcedAfter = (ms: number) =>
  inBatch(listed(items(1)), async ({ batch, sent }) => {
    await scanStep(batch);
    await scanStep(batch);
    batch.documents.put("announcedAtMs", batch.clock() - ms);
    await batchTimers(batch).run("show");
    await batch.outbox.drain();
    return sent.some(({ payload }) => payload.event?.type === "migration.batch.progress") ? TAKEN : "waits";
  });

/** Whether the event at the end of a batch has all of so many failed items. */
const failedInEvent = (count: number) =>
  inBatch(listed([]), async ({ batch, addMany, sent }) => {
    addMany(count, "failed");
    announceState(batch, { type: COMPLETED });
    await batch.outbox.drain();
    const [{ payload }] = sent.slice(-1) as typeof sent & [(typeof sent)[0]];
    return payload.event!.failed.length === count ? TAKEN : "left out";
  });

/** Whether a video is stored as its source lists it. */
async function stored(more: Partial<ListedVideo>): Promise<string> {
  const { videos } = await listed(items(1)).listPage(null, {});
  const video = { ...videos[0]!, ...more };
  const bounded = boundVideo(video);
  if (JSON.stringify(bounded) === JSON.stringify(video)) return TAKEN;
  return bounded.left.length > 0 ? "left out" : "cut";
}
const text = (length: number) => "x".repeat(length);

/** Metadata that makes a video's JSON this long. */
async function storedOf(length: number): Promise<string> {
  const { videos } = await listed(items(1)).listPage(null, {});
  const values = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}`, text(16_000)]));
  const without = JSON.stringify({ ...videos[0]!, metadata: { ...values, last: "" } }).length;
  return await stored({ metadata: { ...values, last: text(length - without) } });
}

/** A name of this length, in labels of 50 characters. */
const hostOf = (length: number) =>
  `${"a".repeat(49)}.`
    .repeat(10)
    .slice(0, length - 4)
    .replace(/\.$/, "a") + ".com";

/** Whether a host that is not mapped is looked up. */
async function lookedUp(headers: Headers): Promise<string> {
  const { DB, queries } = countQueries(env.DB);
  await send(new Request(`https://${crypto.randomUUID()}.example.com/robots.txt`, { headers }), { DB });
  return queries.some((query) => query.includes("import_hosts")) ? TAKEN : "not looked up";
}

export const IMPORT_TRIALS = {
  imports: ofWorkspace(openBatch, "POST", "/v1/imports", () => DRY_RUN),
  "import-items": upTo((count) => listedBeside(count - 1)),
  "import-limit": upTo((limit) => create({ selection: { limit } })),
  "import-ids": upTo((count) => create({ selection: { ids: items(count).map(({ id }) => id) } })),
  "import-inline-items": upTo((count) => create({ source: { type: "list", items: items(count) } })),
  "import-open-media": upTo((count) => submittedBeside(count - 1)),
  "import-progress": atLeast(announcedAfter),
  "import-failed-items": upTo(failedInEvent),
  "import-lists": ofWorkspace(list, "POST", "/v1/imports/lists", () => [{ url: "https://cdn.test/a.mp4" }]),
  "import-list-file": upTo(decoded),
  "import-list-errors": upTo(errorsNamed),
  "import-credentials": ofWorkspace(credential, "POST", "/v1/imports/credentials", () => MUX),
  "import-hosts": ofWorkspace(host, "PUT", "/v1/imports/hosts", (n) => ({ host: newHost(n), source: "mux" })),
  "import-host": upTo((length) => mapped(hostOf(length))),
  "import-source-answer": upTo(answerOf),
  "import-source-time": until(answerAfter),
  "import-source-pause": upTo(paused),
  "import-title": upTo((length) => stored({ title: text(length) })),
  "import-metadata": upTo((count) => stored({ metadata: Object.fromEntries(items(count).map(({ id }) => [id, "x"])) })),
  "import-video": upTo(storedOf),
  "unknown-hosts": guessed(lookedUp),
} satisfies Record<string, Trial>;
