/** The cost of clip windows of a finished recording, after the session's live index was deleted. */
import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { SegmentList } from "../../../src/media/types.ts";
import { keptIndex } from "../../../src/live/origin/recorded/recorded-reader.ts";
import { MAX_RECORDED_LOADS, MAX_RECORDED_READS } from "../../../src/live/origin/recorded/recorded-reads.ts";
import { originOf } from "../../../src/live/origin/origin-calls.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { FACTS, finish, newStream } from "./live-helpers.ts";
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

/** A recording with five renditions, whose live index was deleted. */
async function recordingOf(segments: number) {
  const stream = await newStream(workspace);
  const { sessionId } = await broadcast(stream, 2);
  await finish(workspace, stream);
  const origin = originOf(env, sessionId);
  await origin.release(0);
  await runDurableObjectAlarm(origin as never);
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

type Recording = Awaited<ReturnType<typeof recordingOf>>;
const windowAt = ({ url }: Recording, first: number, segments: number, kind = "m3u8") =>
  `${url}.${kind}?start=${first * SEGMENT_SECONDS + 0.5}s&end=${(first + segments) * SEGMENT_SECONDS - 0.5}s`;
const get = (path: string) => send(new Request(`http://sluice.test${path}`));

/** Counts the D1 queries of the session's origin. D1's answers wait for `gate`. */
async function watched({ sessionId }: Recording, gate: Promise<void> = Promise.resolve()) {
  const asked: string[] = [];
  const prepare = (text: string) => {
    const statement = env.DB.prepare(text);
    const hold = async () => {
      asked.push(text);
      await gate;
    };
    return {
      bind: (...values: unknown[]) => {
        const bound = statement.bind(...values);
        return { all: () => hold().then(() => bound.all()), raw: () => hold().then(() => bound.raw()) };
      },
    };
  };
  const DB = new Proxy(env.DB, {
    get: (target, name) => (name === "prepare" ? prepare : (Reflect.get(target, name) as unknown)),
  });
  await runInDurableObject(
    originOf(env, sessionId) as never,
    ((origin: { components: object }) => {
      Object.assign(origin.components, { env: { ...env, DB } });
    }) as never,
  );
  return asked;
}

describe("clip windows of a finished recording", () => {
  test("read the lists from D1 once a minute for all requests, and cost the same for 100,000 segments as for few", async () => {
    const recording = await recordingOf(100_000);
    const asked = await watched(recording);
    const texts = async (paths: string[]) => {
      const answers = await Promise.all(paths.map(get));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      return await Promise.all(answers.map((answer) => answer.text()));
    };
    const [last] = await texts([windowAt(recording, 99_900, 15), windowAt(recording, 99_880, 15, "mpd")]);
    expect(last).toContain("?clip=99900-99914");
    for (let batch = 0; batch < 5; batch += 1)
      await texts(Array.from({ length: 8 }, (_, n) => windowAt(recording, 17 * (8 * batch + n), 5)));
    const [playlist] = await texts([`${recording.url}/${recording.sessionId}/v720.m3u8?clip=99860-99874`]);
    expect(playlist!.match(/#EXTINF/g)).toHaveLength(15);
    // Segment 99,860 belongs to the span that starts at segment 99,000.
    const capturedAt = new Date(1_795_000_000_000 + 99_860 * SEGMENT_SECONDS * 1000).toISOString();
    expect(playlist).toContain(`v720/init-99.mp4"\n#EXT-X-PROGRAM-DATE-TIME:${capturedAt}\n`);
    // One query for the renditions, and one for the lists of each.
    expect(asked).toHaveLength(1 + 2 + MORE_RUNGS.length);
    const now = Date.now();
    expect(keptIndex(recording.sessionId, now)!.sizeBytes / (5 * 100_000)).toBeLessThan(9); // two numbers of four bytes, and spans
    expect([keptIndex(recording.sessionId, now + 50_000), keptIndex(recording.sessionId, now + 60_000)]).toEqual([
      expect.objectContaining({ sizeBytes: expect.any(Number) as number }),
      null,
    ]);
  });

  test("are refused while an isolate reads the maximum of others, and are answered afterwards", async () => {
    const recording = await recordingOf(1000);
    const wanted = 3 * MAX_RECORDED_READS;
    // D1 does not answer before all requests were accepted or refused.
    const gate = Promise.withResolvers<void>();
    const asked = await watched(recording, gate.promise);
    let refused = 0;
    const answers = Array.from({ length: wanted }, async (_, n) => {
      const answer = await get(windowAt(recording, n, 5));
      if (answer.status === 503) refused += 1;
      return answer;
    });
    await vi.waitUntil(() => asked.length === 1 && refused === wanted - MAX_RECORDED_READS, { timeout: 20_000 });
    gate.resolve();
    const [first, ...rest] = await Promise.all(answers);
    const last = rest.at(-1)!;
    expect([first!.status, last.status, last.headers.get("retry-after")]).toEqual([200, 503, "1"]);
    expect((await get(windowAt(recording, wanted - 1, 5))).status).toBe(200);
    expect(asked).toHaveLength(1 + 2 + MORE_RUNGS.length);
  });

  test("are refused while two other recordings are being loaded, and are answered afterwards", async () => {
    const gate = Promise.withResolvers<void>();
    const recordings = [await recordingOf(10), await recordingOf(10), await recordingOf(10)];
    const [one, two] = [await watched(recordings[0]!, gate.promise), await watched(recordings[1]!, gate.promise)];
    const loading = recordings.slice(0, MAX_RECORDED_LOADS).map((recording) => get(windowAt(recording, 1, 2)));
    await vi.waitUntil(() => one.length + two.length === MAX_RECORDED_LOADS);
    const third = () => get(windowAt(recordings[2]!, 1, 2));
    const refused = await third();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    gate.resolve();
    expect((await Promise.all(loading)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await third()).status).toBe(200);
  });
});
