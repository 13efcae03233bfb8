/** A stream's machine and row after crashes between them. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../src/platform/database.ts";
import { projectStream, type StreamMessage } from "../../../src/live/sessions/projection.ts";
import type { Sequenced } from "../../../src/platform/machine/outbox.ts";
import { sweepStreams } from "../../../src/live/streams/sweep.ts";
import { liveStreams } from "../../../src/live/streams/tables.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import {
  connect,
  elapse,
  eventsOf,
  evictDurableObject,
  FACTS,
  getStream,
  goLive,
  inMachine,
  machineOf,
  newStream,
  settle,
  type Stream,
  typesOf,
} from "./live-helpers.ts";

const db = openDatabase(env.DB);
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  kind: string;
  payload: string;
}
const outbox = (stream: Stream): Promise<Row[]> =>
  inMachine(stream, (_, state) => state.storage.sql.exec<Row>("SELECT * FROM outbox ORDER BY seq").toArray());
const rowOf = async ({ streamId }: Stream) =>
  (await db.select().from(liveStreams).where(eq(liveStreams.id, streamId)))[0]!;

const messagesOf = (rows: Row[]) =>
  rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) })) as Sequenced<StreamMessage>[];

/** Holds back the machine's outbox: no alarm runs. */
const hold = (stream: Stream) =>
  inMachine(stream, async (_, state) => {
    state.storage.sql.exec("UPDATE timers SET due = ?", Date.now() + 3_600_000);
    await state.storage.deleteAlarm();
  });

test("messages that are delivered twice, wholly or in part, have no second effect", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await connect(stream);
  await broadcaster.started(FACTS);
  await broadcaster.heartbeat(1);
  await hold(stream);
  const messages = messagesOf(await outbox(stream));
  for (const part of [messages.slice(0, 3), messages, messages.slice(2), messages, messages])
    await projectStream(env, stream.streamId, part);
  await settle(stream); // and the machine itself
  expect(await typesOf(stream.streamId)).toEqual(["created", "preparing", "connected", "recording", "active"]);
  expect(await typesOf(broadcaster.sessionId)).toHaveLength(1);
  expect(await getStream(workspace, stream.streamId)).toMatchObject({
    status: "active",
    mediaIds: [broadcaster.sessionId],
  });
  expect(await outbox(stream)).toEqual([]);
});

test("concurrent deliveries of the same messages write them once, while the owner changes the record", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await connect(stream);
  await broadcaster.started(FACTS);
  await broadcaster.heartbeat(1);
  await hold(stream);
  const messages = messagesOf(await outbox(stream));
  await Promise.all([
    projectStream(env, stream.streamId, messages),
    workspace.request("PATCH", `/v1/live/streams/${stream.streamId}`, { metadata: { a: "1" } }),
    projectStream(env, stream.streamId, messages),
    workspace.request("PATCH", `/v1/live/streams/${stream.streamId}`, { metadata: { a: "2" } }),
  ]);
  await settle(stream);
  const reported = await eventsOf(stream.streamId);
  const moves = reported.map(({ type }) => type).filter((type) => type !== "video.live_stream.updated");
  expect(moves.map((type) => type.split(".").at(-1))).toEqual([
    "created",
    "preparing",
    "connected",
    "recording",
    "active",
  ]);
  const { metadata } = await getStream(workspace, stream.streamId);
  expect(reported.at(-1)!.data["metadata"]).toEqual(metadata);
});

test("an evicted machine continues its session, and gives its broadcaster time for a heartbeat", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await goLive(stream);
  await evictDurableObject(machineOf(stream));
  expect(await broadcaster.heartbeat(2)).toEqual({ continue: true, reason: null });
  await evictDurableObject(machineOf(stream));
  await inMachine(stream, (_, state) =>
    state.storage.sql.exec("UPDATE timers SET due = 1 WHERE name = 'silence'").toArray(),
  );
  await settle(stream);
  expect(await getStream(workspace, stream.streamId)).toMatchObject({ status: "active" });
  await elapse(stream, "silence");
  expect(await typesOf(stream.streamId)).toEqual([
    "created",
    "preparing",
    "connected",
    "recording",
    "active",
    "disconnected",
  ]);
});

test("the sweep restarts machines with a lost alarm, and does not change others", async () => {
  const [lost, well] = [await newStream(workspace), await newStream(workspace)];
  await goLive(lost);
  const broadcaster = await goLive(well);
  await inMachine(lost, async (machine, state) => {
    machine.components.heardAtMs = Date.now() - 60_000;
    state.storage.sql.exec("DELETE FROM timers");
    await state.storage.deleteAlarm();
  });
  const later = new Date(Date.now() + 6 * 60_000);
  await sweepStreams(env, later);
  await settle(lost);
  await settle(lost);
  await settle(well);
  expect((await typesOf(lost.streamId)).at(-1)).toBe("disconnected");
  expect((await typesOf(well.streamId)).at(-1)).toBe("active");
  expect(await broadcaster.heartbeat(2)).toEqual({ continue: true, reason: null });
});

test("the sweep corrects an outdated row", async () => {
  const stream = await newStream(workspace);
  await goLive(stream);
  await elapse(stream, "silence");
  await elapse(stream, "window");
  const long = new Date(Date.now() - 3_600_000);
  await db.update(liveStreams).set({ status: "active", updatedAt: long }).where(eq(liveStreams.id, stream.streamId));
  await sweepStreams(env, new Date());
  await settle(stream);
  expect(await rowOf(stream)).toMatchObject({ status: "idle" });
  expect((await typesOf(stream.streamId)).at(-1)).toBe("idle"); // without an event
});

test("the sweep wakes a stream once in five minutes, and deletes old gateways", async () => {
  const stream = await newStream(workspace);
  await goLive(stream);
  await db
    .update(liveStreams)
    .set({ updatedAt: new Date(0) })
    .where(eq(liveStreams.id, stream.streamId));
  const now = new Date();
  const insert = "INSERT INTO ingest_gateways (id, http_url, started_at, heard_at) VALUES (?, 'http://a', 0, ?)";
  await env.DB.batch([
    env.DB.prepare(insert).bind("long gone", now.getTime() - 25 * 3600_000),
    env.DB.prepare(insert).bind("gone", now.getTime() - 3600_000),
  ]);
  await sweepStreams(env, now);
  await hold(stream);
  await db
    .update(liveStreams)
    .set({ updatedAt: new Date(0) })
    .where(eq(liveStreams.id, stream.streamId));
  const before = (await outbox(stream)).length;
  await sweepStreams(env, new Date(now.getTime() + 60_000));
  expect(await outbox(stream)).toHaveLength(before);
  await sweepStreams(env, new Date(now.getTime() + 5 * 60_000 + 1));
  expect(await outbox(stream)).toHaveLength(before + 1);
  const { results } = await env.DB.prepare("SELECT id FROM ingest_gateways WHERE http_url = 'http://a'").all();
  expect(results).toEqual([{ id: "gone" }]);
});

test("a stream whose deletion D1 refused is deleted once D1 recovers, with all pending events", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await connect(stream);
  await broadcaster.started(FACTS);
  await broadcaster.heartbeat(1);
  await hold(stream);
  await env.DB.prepare("ALTER TABLE live_sessions RENAME TO live_sessions_gone").run();
  try {
    expect((await workspace.request("DELETE", `/v1/live/streams/${stream.streamId}`)).status).toBe(200);
    expect(await broadcaster.heartbeat(2)).toEqual({ continue: false, reason: "deleted" });
  } finally {
    await env.DB.prepare("ALTER TABLE live_sessions_gone RENAME TO live_sessions").run();
  }
  await settle(stream);
  expect((await workspace.request("GET", `/v1/live/streams/${stream.streamId}`)).status).toBe(404);
  expect(await typesOf(stream.streamId)).toEqual([
    "created",
    "preparing",
    "connected",
    "recording",
    "active",
    "disconnected",
    "deleted",
  ]);
});
