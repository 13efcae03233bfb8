/** Broadcasts of several days: the origin's memory, playlists and answers stay bounded. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { LiveOrigin } from "../../../../durable-objects/live-origin.ts";
import {
  BLOCK_SEGMENTS,
  MAX_DVR_SEGMENTS,
  MAX_PERIOD_STARTS,
  SEGMENTS_IN_MEMORY,
} from "../../../../src/live/origin/index/origin-history.ts";
import { OriginIndex } from "../../../../src/live/origin/index/origin-index.ts";
import type { OriginSession } from "../../../../src/media/live/origin-facts.ts";
import { newOrigin, NOW, partOf, textOf } from "./origins.ts";

const DAYS_30 = (30 * 24 * 3600) / 2; // segments of 2 s
const RENDITIONS = ["v720", "a1"];
const MOST_IN_MEMORY = SEGMENTS_IN_MEMORY + BLOCK_SEGMENTS + 2 * 2 * (MAX_PERIOD_STARTS + 2 * BLOCK_SEGMENTS);

const DVR_MPD = {
  playbackId: "p",
  isDvr: true,
  selection: { minPx: null, maxPx: null, exactPx: null, order: "desc" as const },
  omitsType: false,
};

const inOrigin = <T>(stub: unknown, look: (origin: LiveOrigin, state: DurableObjectState) => T | Promise<T>) =>
  runInDurableObject<never, T>(stub as never, look as never);

const indexIn = (origin: LiveOrigin) => origin.components.index;

/** The count of the rendition with the most segments. */
const inMemory = ({ all }: OriginIndex): number =>
  Math.max(...all.map(({ segments, boundarySegments }) => segments.length + (boundarySegments?.size ?? 0)));

/** Stores rows of whole segments without bytes, which would be in R2. */
function seed(sql: SqlStorage, count: number, discontinuousEach: number): void {
  for (const name of RENDITIONS) {
    const ticks = name === "v720" ? 60_000 : 96_000;
    sql.exec(
      `WITH RECURSIVE n(msn) AS (SELECT 0 UNION ALL SELECT msn + 1 FROM n WHERE msn + 1 < ?)
       INSERT INTO segments (rendition, msn, captured_at_ms, decode_ticks, duration_ticks, bytes, is_discontinuous,
         init_version, is_gap, is_whole, parts, stored)
       SELECT ?, msn, ? + msn * 2000, msn * ?, ?, 750000, msn > 0 AND msn % ? = 0, 0, 0, 1, '[]', 1 FROM n`,
      count,
      name,
      Date.UTC(2026, 9, 1),
      ticks,
      ticks,
      discontinuousEach,
    );
  }
}

/** An origin after a restart during a long broadcast, with a reconnect every `discontinuousEach` segments. */
async function broadcastOf(count: number, discontinuousEach: number, more: Partial<OriginSession> = {}) {
  const origin = newOrigin(more);
  await origin.stub.open(origin.session);
  await inOrigin(origin.stub, (live, state) => {
    seed(state.storage.sql, count, discontinuousEach);
    state.storage.kv.delete("hasSeams"); // as in a session that began before the starts of periods were stored
    live.components.index = new OriginIndex(state.storage);
  });
  return origin;
}

/** Adds segments to the index, without R2. */
function drive(index: OriginIndex, fromMsn: number, count: number, discontinuousEach: number): number {
  let most = 0;
  for (let msn = fromMsn; msn < fromMsn + count; msn += 1) {
    for (const rendition of RENDITIONS) {
      const arriving = { ...partOf(rendition, msn, 0), isLast: true, isDiscontinuous: msn % discontinuousEach === 0 };
      const durationTicks = rendition === "v720" ? 60_000 : 96_000;
      const verdict = index.add({ ...arriving, durationTicks, decodeTicks: msn * durationTicks }, new Uint8Array(9));
      if (verdict.verdict !== "taken") throw new Error(`${rendition} ${msn}: ${verdict.verdict}`);
      index.store.markStored(rendition, msn);
      index.store.forgetBytes(rendition, msn);
    }
    most = Math.max(most, inMemory(index));
  }
  return most;
}

test(
  "memory holds the newest segments only, however long a broadcast has been on air: 30 days simulated",
  { tags: ["full"], timeout: 120_000 },
  async () => {
    const { stub, session } = await broadcastOf(DAYS_30, 1800); // an encoder that reconnects each hour
    const seen = await inOrigin(stub, (origin, state) => {
      const index = indexIn(origin);
      const afterRestart = inMemory(index);
      const whileOnAir = drive(index, DAYS_30, 4 * BLOCK_SEGMENTS, 1800);
      const rows = state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM segments").one().n;
      return { afterRestart, whileOnAir, rows };
    });
    expect(seen.rows).toBe(RENDITIONS.length * (DAYS_30 + 4 * BLOCK_SEGMENTS)); // all of it is there, on disk
    expect(seen.afterRestart).toBeLessThanOrEqual(MOST_IN_MEMORY);
    expect(seen.whileOnAir).toBeLessThanOrEqual(MOST_IN_MEMORY);

    // Playlists are bounded too.
    const whole = textOf(await stub.playlist("v720", NOW, true));
    expect(whole.match(/^v720\/\d+\.m4s$/gm)).toHaveLength(MAX_DVR_SEGMENTS);
    const firstMsn = DAYS_30 + 4 * BLOCK_SEGMENTS - MAX_DVR_SEGMENTS;
    const discontinuities = Math.floor((firstMsn - 1) / 1800);
    for (const header of [`#EXT-X-MEDIA-SEQUENCE:${firstMsn + 1}`, `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuities}`])
      expect(whole).toContain(`${header}\n`);
    const delta = textOf(await stub.playlist("v720", { ...NOW, skip: "YES" }, true));
    for (const header of [`#EXT-X-MEDIA-SEQUENCE:${firstMsn + 1}`, `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuities}`])
      expect(delta).toContain(`${header}\n`);
    const skipped = Number(/SKIPPED-SEGMENTS=(\d+)/.exec(delta)![1]);
    expect(skipped + delta.match(/^v720\/\d+\.m4s$/gm)!.length).toBe(MAX_DVR_SEGMENTS);
    expect(delta.length * 100).toBeLessThan(whole.length);
    const mpd = (await stub.mpd(DVR_MPD))!.text;
    expect(mpd).toContain("timeShiftBufferDepth");
    expect(mpd.match(/<Period /g)!.length).toBeLessThanOrEqual(MAX_PERIOD_STARTS);

    // A clip from the middle is found by the stored start times, without summing earlier durations.
    const middle = (DAYS_30 / 2) * 2;
    expect(await stub.findRange(middle + 3, middle + 7)).toMatchObject({
      first: DAYS_30 / 2 + 1,
      last: DAYS_30 / 2 + 3,
    });

    // A recording fits into rows of D1 and an RPC.
    await stub.end();
    const recorded = (await stub.recorded({ first: 0, last: 119_999 }))!;
    expect(recorded.renditions.map(({ segments }) => segments.bytes.length)).toEqual([120_000, 120_000]);
    for (const { segments } of recorded.renditions) expect(JSON.stringify(segments).length).toBeLessThan(2_000_000);
    expect(session.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test("a session whose end is bounded never loses a segment from its DVR playlist, which is of type EVENT", async () => {
  const count = MAX_DVR_SEGMENTS + 100; // more than a bounded session has, unless its segments are short
  const { stub } = await broadcastOf(count, 1800, { isBounded: true });
  const whole = textOf(await stub.playlist("v720", NOW, true));
  expect(whole).toContain("#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-PLAYLIST-TYPE:EVENT\n");
  expect(whole.match(/^v720\/\d+\.m4s$/gm)).toHaveLength(count);
  const delta = textOf(await stub.playlist("v720", { ...NOW, skip: "YES" }, true));
  expect(delta).toContain("#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-PLAYLIST-TYPE:EVENT\n");
  const skipped = Number(/SKIPPED-SEGMENTS=(\d+)/.exec(delta)![1]);
  expect(skipped + delta.match(/^v720\/\d+\.m4s$/gm)!.length).toBe(count);
  // Without DVR the window moves.
  expect(textOf(await stub.playlist("v720", NOW, false))).not.toContain("EXT-X-PLAYLIST-TYPE");
}, 60_000);

test("a broadcaster that reconnects with every segment fills neither memory nor a row of D1", async () => {
  const { stub } = await broadcastOf(60_000, 1);
  const most = await inOrigin(stub, (origin) => drive(indexIn(origin), 60_000, 3 * BLOCK_SEGMENTS, 1));
  expect(most).toBeLessThanOrEqual(MOST_IN_MEMORY);
  const periodStarts = await inOrigin(stub, (origin) =>
    Math.max(...indexIn(origin).all.map((one) => one.periodStarts.length)),
  );
  expect(periodStarts).toBeLessThanOrEqual(MAX_PERIOD_STARTS + 2 * BLOCK_SEGMENTS);
  const mpd = (await stub.mpd(DVR_MPD))!.text;
  expect(mpd.match(/<Period /g)!.length).toBeLessThanOrEqual(MAX_PERIOD_STARTS + 2 * BLOCK_SEGMENTS);
  await stub.end();
  const { renditions } = (await stub.recorded(null))!;
  const lengths = renditions.map(({ segments }) => segments.bytes.length);
  expect(new Set(lengths).size).toBe(1); // cut in all of them at once
  expect(lengths[0]).toBeLessThan(60_000);
  for (const { segments } of renditions) expect(JSON.stringify(segments).length).toBeLessThan(2_000_000);
}, 120_000);

test("periods keep their place on the timeline when older ones are forgotten", async () => {
  const { stub, session } = newOrigin();
  await stub.open(session);
  const periods = async () => {
    const { text } = (await stub.mpd(DVR_MPD))!;
    const start = /availabilityStartTime="([^"]+)"/.exec(text)![1]!;
    return { start, all: [...text.matchAll(/<Period id="p(\d+)" start="([^"]+)"/g)].map(([, id, at]) => [id!, at!]) };
  };
  await inOrigin(stub, (origin) => drive(indexIn(origin), 0, 2000, 2));
  const before = await periods();
  await inOrigin(stub, (origin) => drive(indexIn(origin), 2000, 2 * BLOCK_SEGMENTS, 2));
  const after = await periods();
  expect(after.start).toBe(before.start);
  const known = new Map(before.all as [string, string][]);
  const both = after.all.filter(([id]) => known.has(id!));
  expect(both.length).toBeGreaterThan(100);
  expect(both).toEqual(both.map(([id]) => [id, known.get(id!)]));
  expect(after.all[0]).not.toEqual(before.all[0]); // older ones are forgotten
}, 120_000);

const tablesOf = (stub: unknown) =>
  inOrigin(stub, (_, state) =>
    state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray(),
  );

test("a released session leaves no rows, and requests by strangers or a late gateway create none", async () => {
  const { stub, session } = newOrigin();
  const rows = () => tablesOf(stub);
  expect(await stub.playlist("v720", NOW, false)).toEqual({ kind: "nothing" });
  expect(await stub.findRange(0, 4)).toBeNull();
  expect(await rows()).toEqual([]);
  await stub.open(session);
  await inOrigin(stub, (origin) => drive(indexIn(origin), 0, 4, 100));
  await stub.release(0);
  await inOrigin(stub, (origin) => origin.alarm());
  expect((await rows()).length).toBeGreaterThan(0); // still on air
  await stub.end();
  await stub.release(60_000);
  await inOrigin(stub, (origin) => origin.alarm());
  expect((await rows()).length).toBeGreaterThan(0);
  await stub.release(0);
  await inOrigin(stub, (origin) => origin.alarm());
  expect(await rows()).toEqual([]);
  expect(await stub.playlist("v720", NOW, false)).toEqual({ kind: "nothing" });
  const bytes = new Uint8Array(1);
  const late = [
    await stub.putPart(partOf("v720", 4, 0), bytes, 1),
    await stub.putInit("v720", 1, bytes, 1),
    await stub.putThumbnail(Date.now(), bytes, 1),
    await stub.gap("v720", 4, 1),
    await stub.drop("v720", 4, 1),
  ];
  expect(late.map(({ verdict }) => verdict)).toEqual(late.map(() => "over"));
  expect(await rows()).toEqual([]);
});

test("a session that ended without a release is released a week after its next request", async () => {
  const { stub, session } = newOrigin();
  await stub.open(session);
  await inOrigin(stub, (origin) => drive(indexIn(origin), 0, 4, 100));
  await stub.end();
  await evictDurableObject(stub);
  expect(await stub.findRange(0, 4)).not.toBeNull();
  const due = await inOrigin(stub, (_, state) => state.storage.getAlarm());
  expect((due! - Date.now()) / (24 * 3600_000)).toBeCloseTo(7, 1);
  await inOrigin(stub, (origin, state) => {
    state.storage.kv.put("releaseAtMs", Date.now());
    return origin.alarm();
  });
  expect(await tablesOf(stub)).toEqual([]);
});
