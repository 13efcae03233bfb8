/** What clip windows of a finished recording cost, once the session's live index was deleted. */
import { env, runDurableObjectAlarm } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { SegmentList } from "../../../src/assets/types.ts";
import { MAX_RECORDED_READS } from "../../../src/live/recorded-reads.ts";
import { originOf } from "../../../src/live/origin-calls.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { FACTS, newStream } from "./live-helpers.ts";
import { broadcast } from "./recording-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const SEGMENT_SECONDS = 2;
const timescaleOf = (name: string) =>
  FACTS.renditions.find((one) => one.name === (name === "a1" ? name : "v720"))!.timescale;
const MORE_RUNGS = ["v1080", "v480", "v360"];

/** A list of whole segments; a new span every 1,000 segments. */
function listOf(name: string, segments: number): SegmentList {
  const durationTicks = SEGMENT_SECONDS * timescaleOf(name);
  return {
    durationTicks: Array.from({ length: segments }, () => durationTicks),
    bytes: Array.from({ length: segments }, (_, n) => 100_000 + (n % 1000)),
    keyframes: [],
    spans: Array.from({ length: Math.ceil(segments / 1000) }, (_, n) => ({
      first: n * 1000,
      initVersion: n,
      startTicks: n * 1000 * durationTicks,
      capturedAtMs: 1_795_000_000_000 + n * 1000 * SEGMENT_SECONDS * 1000,
      isDiscontinuous: n > 0,
    })),
  };
}

/** The recording of a broadcast with five renditions of so many segments, whose live index was deleted. */
async function recordingOf(segments: number) {
  const stream = await newStream(workspace);
  const { sessionId } = await broadcast(stream, 2);
  await workspace.request("PUT", `/v1/live/streams/${stream.streamId}/finish`);
  const origin = originOf(env, sessionId);
  await origin.release(0);
  await runDurableObjectAlarm(origin);
  expect(await origin.findRange(0, 1)).toBeNull();
  const columns = "kind, codec, origin, is_whole, width_px, height_px, frame_rate_num, frame_rate_den, timescale";
  for (const name of MORE_RUNGS)
    await env.DB.prepare(
      `INSERT INTO renditions (asset_id, name, init_bytes, segments, ${columns})
       SELECT asset_id, ?, init_bytes, segments, ${columns} FROM renditions WHERE asset_id = ? AND name = 'v720'`,
    )
      .bind(name, sessionId)
      .run();
  for (const name of ["v720", "a1", ...MORE_RUNGS])
    await env.DB.prepare("UPDATE renditions SET segments = ? WHERE asset_id = ? AND name = ?")
      .bind(JSON.stringify(listOf(name, segments)), sessionId, name)
      .run();
  return { sessionId, url: `/${stream.playbackIds[0]!.id}`, segments };
}

/** D1 that counts the bytes of its answers as JSON. */
function countedDatabase() {
  const counted = { bytes: 0, answers: 0 };
  const count = <T>(answer: T): T => {
    counted.bytes += JSON.stringify(answer ?? null).length;
    counted.answers += 1;
    return answer;
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        return async (...values: unknown[]) =>
          count(await (value as (...v: unknown[]) => unknown).apply(target, values));
      },
    });
  const db = new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => wrap(target.prepare(sql));
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { db, counted };
}

/** Bytes that D1 returns for one request. */
async function costOf(path: string) {
  const { db, counted } = countedDatabase();
  const answer = await send(new Request(`http://sluice.test${path}`), { DB: db });
  return { status: answer.status, text: await answer.text(), ...counted };
}

type Recording = Awaited<ReturnType<typeof recordingOf>>;
const windowAt = ({ url }: Recording, first: number, segments: number, kind = "m3u8") =>
  `${url}.${kind}?start=${first * SEGMENT_SECONDS + 0.5}s&end=${(first + segments) * SEGMENT_SECONDS - 0.5}s`;

describe("a clip window of a finished recording", () => {
  test("reads no more from D1 of 100,000 segments than of 1,000", async () => {
    const [short, long] = [await recordingOf(1000), await recordingOf(100_000)];
    const paths = (recording: Recording) => {
      const first = recording.segments - 100;
      return [
        windowAt(recording, first, 15),
        windowAt(recording, first - 20, 15, "mpd"),
        `${recording.url}/${recording.sessionId}/v720.m3u8?clip=${first - 40}-${first - 26}`,
      ];
    };
    const costs = async (recording: Recording) => await Promise.all(paths(recording).map(costOf));
    const [ofShort, ofLong] = [await costs(short), await costs(long)];
    expect([...ofShort, ...ofLong].map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(ofLong[0]!.text).toContain("?clip=99900-99914");
    expect(ofLong[2]!.text.match(/#EXTINF/g)).toHaveLength(15);
    // The span of segment 99,000 goes on in segment 99,860.
    const capturedAt = new Date(1_795_000_000_000 + 99_860 * SEGMENT_SECONDS * 1000).toISOString();
    expect(ofLong[2]!.text).toContain(`v720/init-99.mp4"\n#EXT-X-PROGRAM-DATE-TIME:${capturedAt}\n`);
    for (const [n, cost] of ofLong.entries()) expect(cost.bytes / ofShort[n]!.bytes).toBeLessThan(1.2);
  });

  test("is read once from D1, however many ask for it at the same time", async () => {
    const recording = await recordingOf(2000);
    const one = await costOf(windowAt(recording, 100, 15));
    const { db, counted } = countedDatabase();
    const path = windowAt(recording, 1500, 15);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(new Request(`http://sluice.test${path}`), { DB: db })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(counted.bytes / one.bytes).toBeLessThan(4); // 20 without sharing; the stream's row is read by each
  });

  test("is refused while as many others are being read as an isolate may hold, and is answered afterwards", async () => {
    const recording = await recordingOf(1000);
    const asked = 3 * MAX_RECORDED_READS;
    // D1 answers none of the range lookups until all requests have been decided upon.
    const gate = Promise.withResolvers<void>();
    let held = 0;
    const prepare = (sql: string) => {
      const statement = env.DB.prepare(sql);
      if (!sql.includes("json_each")) return statement;
      const hold = async () => {
        held += 1;
        await gate.promise;
      };
      return {
        bind: (...values: unknown[]) => {
          const bound = statement.bind(...values);
          return { all: () => hold().then(() => bound.all()), raw: () => hold().then(() => bound.raw()) };
        },
      };
    };
    const db = new Proxy(env.DB, {
      get(target, name) {
        if (name === "prepare") return prepare;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    let refused = 0;
    const answers = Array.from({ length: asked }, async (_, n) => {
      const answer = await send(new Request(`http://sluice.test${windowAt(recording, n, 5)}`), { DB: db });
      if (answer.status === 503) refused += 1;
      return answer;
    });
    await vi.waitUntil(() => held + refused === asked, { timeout: 20_000 });
    expect(held).toBe(MAX_RECORDED_READS);
    gate.resolve();
    const [first, , , ...rest] = await Promise.all(answers);
    const last = rest.at(-1)!;
    expect([first!.status, last.status, last.headers.get("retry-after")]).toEqual([200, 503, "1"]);
    expect((await costOf(windowAt(recording, asked - 1, 5))).status).toBe(200);
  });
});
