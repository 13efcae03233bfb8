/** `ingestWarnings` of a stream: what its gateway found wrong with the last broadcast, in the record and in the events. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import type { IngestWarning } from "../../../protocol/ingest-warning.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import {
  at,
  connect,
  elapse,
  eventsOf,
  finish,
  getStream,
  goLive,
  inMachine,
  newStream,
  settle,
  type Stream,
} from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const BEGAN_MS = Date.UTC(2026, 4, 20, 12, 50, 15);
const warning = (code: IngestWarning["code"], message: string, seconds = 0, count = 1): IngestWarning => ({
  code,
  message,
  since: BEGAN_MS + seconds * 1000,
  count,
});
const NO_SOUND = warning("no_sound", "No sound has arrived.");
const NO_SOUND_SHOWN = {
  code: "no_sound",
  message: "No sound has arrived.",
  since: "2026-05-20T12:50:15.000000Z",
  count: 1,
};

const shown = async (stream: Stream) => (await getStream(workspace, stream.streamId))["ingestWarnings"];
/** Those of the stream's events `updated`, in order. */
const announced = async ({ streamId }: Stream) =>
  (await eventsOf(streamId))
    .filter(({ type }) => type === "video.live_stream.updated")
    .map(({ data }) => data["ingestWarnings"]);
const revision = ({ streamId }: Stream) =>
  env.DB.prepare("SELECT revision FROM live_streams WHERE id = ?").bind(streamId).first<number>("revision");

test("a stream without a warning has an empty list, in its record and in every event", async () => {
  const stream = await newStream(workspace);
  expect(stream["ingestWarnings"]).toEqual([]);
  await goLive(stream);
  const list = await (await workspace.request("GET", "/v1/live/streams")).json<{ data: Stream[] }>();
  expect(list.data.find(({ streamId }) => streamId === stream.streamId)?.["ingestWarnings"]).toEqual([]);
  const events = await eventsOf(stream.streamId);
  expect(events.length).toBeGreaterThan(3);
  expect(events.map(({ data }) => data["ingestWarnings"])).toEqual(events.map(() => []));
});

test("a new warning is shown and announced once, however often it is reported", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await goLive(stream);
  for (const segments of [2, 3, 3]) await broadcaster.heartbeat(segments, { warnings: [NO_SOUND] });
  await settle(stream);
  expect(await shown(stream)).toEqual([NO_SOUND_SHOWN]);
  expect(await announced(stream)).toEqual([[NO_SOUND_SHOWN]]);
});

test("a warning before the media has begun, and one while no media arrives, is shown", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await connect(stream);
  await broadcaster.heartbeat(0, { warnings: [NO_SOUND] });
  await settle(stream);
  expect(await shown(stream)).toMatchObject([{ code: "no_sound" }]);
  await broadcaster.heartbeat(0, { silent: true, warnings: [NO_SOUND, warning("silent", "No data.", 6)] });
  await settle(stream);
  expect(await shown(stream)).toMatchObject([{ code: "no_sound" }, { code: "silent" }]);
});

test("a higher count is no event: it is written once for all heartbeats of ten seconds, and at the end", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await goLive(stream);
  const dropped = (count: number) => ({ warnings: [warning("frames_dropped", "Frames were dropped.", 0, count)] });
  await broadcaster.heartbeat(2, dropped(1));
  await settle(stream);
  const before = await revision(stream);
  for (let count = 2; count < 12; count += 1) await broadcaster.heartbeat(2, dropped(count));
  await settle(stream);
  expect(await revision(stream)).toBe(before);
  expect(await shown(stream)).toMatchObject([{ count: 1 }]);
  const dueInMs = await inMachine(
    stream,
    ({ components }) => components.timers.dueOf("warnings")! - components.clock(),
  );
  expect(dueInMs).toBeGreaterThan(5000);
  expect(dueInMs).toBeLessThanOrEqual(10_000);
  await elapse(stream, "warnings");
  expect(await revision(stream)).toBe(before! + 1);
  expect(await shown(stream)).toMatchObject([{ count: 11 }]);

  await broadcaster.heartbeat(2, dropped(15));
  await broadcaster.left();
  await settle(stream);
  expect(await shown(stream)).toMatchObject([{ count: 15 }]);
  expect(await announced(stream)).toHaveLength(1);
});

test("warnings of the connections of a broadcast are added up, and stay until the next broadcast begins", async () => {
  const stream = await newStream(workspace);
  const first = await goLive(stream);
  await first.heartbeat(2, { warnings: [NO_SOUND, warning("frames_dropped", "Frames were dropped.", 1, 4)] });
  await first.left();
  const second = await connect(stream);
  await second.started();
  await second.heartbeat(3, { warnings: [warning("frames_dropped", "Frames were dropped.", 90, 3)] });
  await second.heartbeat(4, {
    warnings: [warning("frames_dropped", "Frames were dropped.", 90, 5), warning("interleaving", "Sound is late.", 95)],
  });
  const all = [
    NO_SOUND_SHOWN,
    { code: "frames_dropped", message: "Frames were dropped.", since: "2026-05-20T12:50:16.000000Z", count: 9 },
    { code: "interleaving", message: "Sound is late.", since: "2026-05-20T12:51:50.000000Z", count: 1 },
  ];
  await settle(stream);
  expect(await shown(stream)).toEqual(all);
  expect(await announced(stream)).toHaveLength(2); // the same kinds of the second connection are no change
  await finish(workspace, stream);
  await settle(stream);
  expect(await shown(stream)).toEqual(all);
  await workspace.request("PUT", at(stream, "/disable"));
  await workspace.request("PUT", at(stream, "/enable"));
  expect(await shown(stream)).toEqual(all);

  await connect(stream);
  await settle(stream);
  expect(await shown(stream)).toEqual([]);
});

test("an encoder that begins its list again within a connection takes nothing back", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await goLive(stream);
  await broadcaster.heartbeat(2, { warnings: [warning("interleaving", "Sound is late.", 5, 7)] });
  await broadcaster.heartbeat(3, { warnings: [] });
  await broadcaster.heartbeat(4, { warnings: [warning("interleaving", "Sound is late.", 9, 2)] });
  await broadcaster.left();
  await settle(stream);
  expect(await shown(stream)).toMatchObject([{ since: "2026-05-20T12:50:20.000000Z", count: 7 }]);
  expect(await announced(stream)).toHaveLength(1);
});

test("twenty are shown: those of the newest connection, and the latest of those before", async () => {
  const stream = await newStream(workspace);
  const refused = (from: number) =>
    Array.from({ length: 15 }, (_, n) => warning("codec_refused", `Track ${from + n} is left out.`, from + n));
  const first = await goLive(stream);
  await first.heartbeat(2, { warnings: refused(0) });
  await first.left();
  const second = await connect(stream);
  await second.started();
  await second.heartbeat(3, { warnings: refused(100) });
  await settle(stream);
  const messages = ((await shown(stream)) as { message: string }[]).map(({ message }) => message);
  const numbers = [10, 11, 12, 13, 14, ...Array.from({ length: 15 }, (_, n) => 100 + n)];
  expect(messages).toEqual(numbers.map((n) => `Track ${n} is left out.`));
});

test("a message is stored as one line of valid Unicode", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await goLive(stream);
  await broadcaster.heartbeat(2, { warnings: [{ ...NO_SOUND, message: " No\r\n\u0000sound \ud800.\u007f" }] });
  await settle(stream);
  expect(await shown(stream)).toMatchObject([{ message: "No sound \ufffd." }]);
});

test("a stream that an earlier release wrote about keeps its warnings when the broadcast moves on", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await goLive(stream);
  await inMachine(stream, ({ components }) => {
    const { warnings: _, ...session } = components.session!;
    components.documents.put("session", session);
  });
  await broadcaster.heartbeat(5, { warnings: [NO_SOUND] });
  await settle(stream);
  expect(await shown(stream)).toEqual([NO_SOUND_SHOWN]);
});
