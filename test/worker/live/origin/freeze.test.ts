/** While a broadcaster is away its last picture is repeated; the same media continues without a discontinuity. */
import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { LiveOrigin } from "../../../../durable-objects/live-origin.ts";
import { MAX_FILLED_AT_ONCE_MS } from "../../../../src/live/origin/freeze.ts";
import { linesOf, newOrigin, NOW, textOf } from "./origins.ts";
import { bringInits, bringSegment, onAirUntil, openingAt } from "./real-media.ts";

const A_WHILE_MS = 60_000;
const lengthsOf = async (stub: DurableObjectStub<LiveOrigin>, name: string) =>
  linesOf(await stub.playlist(name, NOW, false), "#EXTINF").map((line) => Number(line.slice(8, -1)));
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const stateIn = <T>(stub: unknown, look: (state: DurableObjectState) => T): Promise<T> =>
  runInDurableObject(stub as never, ((_: unknown, state: DurableObjectState) => look(state)) as never);
const secondsIn = ({ storage }: DurableObjectState, name: string): number => {
  const query = "SELECT coalesce(sum(duration_ticks), 0) AS ticks FROM segments WHERE rendition = ?";
  return storage.sql.exec<{ ticks: number }>(query, name).one().ticks / (name === "v720" ? 30_000 : 48_000);
};
const tickTo = (stub: unknown) => runDurableObjectAlarm(stub as never);

/** Two segments, the last of which ended some seconds ago. */
async function left(agoSeconds: number) {
  const origin = newOrigin();
  const endsAtMs = Date.now() - agoSeconds * 1000;
  const ends = await onAirUntil(origin.stub, origin.session, 2, endsAtMs);
  return { ...origin, endsAtMs, ends };
}

describe("a broadcaster that has left", () => {
  test("is replaced by its last key frame and silence up to now, in valid parts", async () => {
    const { stub } = await left(7);
    await stub.freeze(Date.now() + A_WHILE_MS);
    const playlist = await stub.playlist("v720", NOW, false);
    expect(textOf(playlist)).not.toContain("DISCONTINUITY");
    expect(textOf(playlist).match(/#EXT-X-MAP/g)).toHaveLength(1);
    const [, , ...frozen] = await lengthsOf(stub, "v720");
    expect(frozen.length).toBeGreaterThanOrEqual(3);
    expect(new Set(frozen)).toEqual(new Set([2]));
    const parts = linesOf(playlist, "#EXT-X-PART")
      .map((line) => /DURATION=([\d.]+),URI="v720\/(\d+)\.(\d+)\.m4s"(,INDEPENDENT=YES)?$/.exec(line)!.slice(1))
      .filter(([, msn]) => Number(msn) >= 2);
    expect(parts.length).toBeGreaterThan(2);
    for (const [duration, , part, isIndependent] of parts)
      expect([duration, isIndependent !== undefined]).toEqual(["0.5", part === "0"]);
    for (const name of ["v720", "a1"])
      expect(Math.abs(sum(await lengthsOf(stub, name)) - 4 - 2 * frozen.length)).toBeLessThan(0.03);
  });

  test("is replaced in real time, by alarms, until the window is over", async () => {
    const { stub, endsAtMs } = await left(2.1);
    const untilMs = Date.now() + 4000; // a busy machine takes a while for the first look
    await stub.freeze(untilMs);
    const frozen = () => stateIn(stub, (state) => secondsIn(state, "v720") - 4);
    const atOnce = await frozen();
    expect(atOnce).toBeGreaterThanOrEqual(2);
    await expect.poll(frozen, { timeout: 10_000 }).toBeGreaterThan(atOnce);
    await expect.poll(() => stateIn(stub, (state) => state.storage.getAlarm()), { timeout: 10_000 }).toBeNull();
    expect(await frozen()).toBeLessThanOrEqual((untilMs - endsAtMs) / 1000);
  });

  test("is not replaced without media, or with media that is not H.264", async () => {
    const { stub, session } = newOrigin();
    await stub.freeze(Date.now() + A_WHILE_MS);
    await stub.open(session);
    await stub.freeze(Date.now() + A_WHILE_MS);
    expect(await stateIn(stub, (state) => secondsIn(state, "v720"))).toBe(0);
  });
});

describe("a broadcaster that returns with the same media", () => {
  test("continues after the frozen media, on the same timeline, with the same init segments", async () => {
    const { stub, ends, endsAtMs } = await left(7);
    await stub.freeze(Date.now() + A_WHILE_MS);
    await stub.accept(2);
    const frozen = (await stateIn(stub, (state) => secondsIn(state, "v720"))) - 4;
    expect(frozen).toBeGreaterThanOrEqual(7);
    const away = frozen + 0.6; // sound may be absent for up to half a second more
    const resume = await stub.resume(openingAt(endsAtMs + away * 1000), 2);
    const lastBegins = Math.floor(away / 2 + 1e-9) * 2;
    const length = Math.max(away, lastBegins + 1); // no segment is shorter than a second
    expect(resume).toMatchObject({ discontinuity: false, initVersion: 0, nextMsn: 2 + lastBegins / 2 + 1 });
    expect(resume.seconds).toBeCloseTo(4 + length, 1);
    expect(resume.ticks["v720"]).toBe(ends.v720 + Math.round(length * 30) * 1000);
    expect((resume.ticks["a1"]! - ends.a1) % 1024).toBe(0);
    expect(Math.abs(resume.ticks["a1"]! / 48_000 - resume.seconds)).toBeLessThan(0.02);
    const decodeTicks = { v720: resume.ticks["v720"]!, a1: resume.ticks["a1"]! };
    expect(await bringSegment(stub, resume.nextMsn, { decodeTicks, capturedAtMs: Date.now() })).toEqual([
      "taken",
      "taken",
    ]);
    expect(textOf(await stub.playlist("v720", NOW, false))).not.toContain("DISCONTINUITY");
  });

  test("continues in the same way without a freeze: the absence is filled at once", async () => {
    const { stub, endsAtMs } = await left(0);
    const resume = await stub.resume(openingAt(endsAtMs + 30_000));
    expect(resume).toMatchObject({ discontinuity: false, nextMsn: 2 + 15 });
    expect(sum(await lengthsOf(stub, "v720"))).toBeCloseTo(34, 1);
    const stored = await stateIn(stub, (state) =>
      state.storage.sql.exec("SELECT count(*) AS n FROM segments WHERE stored = 1 AND rendition = 'v720'").one(),
    );
    expect(stored).toEqual({ n: 17 });
  });

  test("gets the same answer to a repeated opening, whatever has arrived since", async () => {
    const { stub, endsAtMs } = await left(0);
    const opening = openingAt(endsAtMs + 3000);
    const first = await stub.resume(opening);
    const decodeTicks = { v720: first.ticks["v720"]!, a1: first.ticks["a1"]! };
    expect(await bringSegment(stub, first.nextMsn, { decodeTicks, capturedAtMs: endsAtMs + 3000 })).toEqual([
      "taken",
      "taken",
    ]);
    expect(await stub.resume(opening)).toEqual(first);
    expect((await lengthsOf(stub, "v720")).length).toBe(first.nextMsn + 1);
  });

  test.each([
    [0.3, 2, 4], // too short for a segment: the media follows immediately
    [0.7, 3, 5], // no segment is shorter than a second
    [1, 3, 5],
    [2.4, 4, 7],
  ])("has no segment shorter than a second after an absence of %s s", async (seconds, nextMsn, endSeconds) => {
    const { stub, endsAtMs } = await left(0);
    const resume = await stub.resume(openingAt(endsAtMs + seconds * 1000));
    expect(resume).toMatchObject({ discontinuity: false, nextMsn });
    expect(resume.seconds).toBeCloseTo(endSeconds, 1);
    expect(Math.min(...(await lengthsOf(stub, "v720")))).toBeGreaterThanOrEqual(1);
  });

  test("continues a freeze that began before the origin restarted", async () => {
    const { stub, endsAtMs } = await left(5);
    await stub.freeze(Date.now() + A_WHILE_MS);
    await evictDurableObject(stub);
    const resume = await stub.resume(openingAt(endsAtMs + 9000));
    expect(resume).toMatchObject({ discontinuity: false });
    expect(resume.seconds).toBeCloseTo(13, 1);
  });
});

test("an opening is refused when another broadcaster has replaced its own meanwhile", async () => {
  const { stub, endsAtMs } = await left(3);
  await stub.accept(3);
  // `expect` would read properties of a bare RPC promise, each of which is an unhandled promise.
  const late = async () => await stub.resume(openingAt(endsAtMs + 4000), 2);
  await expect(late()).rejects.toThrow("may no longer write to the session");
  expect(await stub.resume(openingAt(endsAtMs + 4000), 3)).toMatchObject({ discontinuity: false });
});

describe("a broadcaster that returns", () => {
  test.each([
    ["with another picture", { v720: "0".repeat(64) }],
    ["with another sound", { a1: "f".repeat(64) }],
  ])("%s begins after a discontinuity, with a new version of init segments", async (_, more) => {
    const { stub, endsAtMs } = await left(3);
    await stub.freeze(Date.now() + A_WHILE_MS);
    const resume = await stub.resume(openingAt(endsAtMs + 4000, more));
    expect(resume).toMatchObject({ discontinuity: true, initVersion: 1, ticks: {} });
    expect(resume.seconds).toBeGreaterThan(6);
  });

  test("without its sound, or with another rendition, begins after a discontinuity", async () => {
    for (const change of ["less", "more"]) {
      const { stub, endsAtMs } = await left(1);
      const opening = openingAt(endsAtMs + 2000);
      if (change === "less") opening.renditions.pop();
      else opening.renditions.push({ name: "v1080", initSha256: "0".repeat(64) });
      expect(await stub.resume(opening)).toMatchObject({ discontinuity: true, initVersion: 1 });
    }
  });

  test("after a longer absence than is filled at once begins after a discontinuity", async () => {
    const { stub, endsAtMs } = await left(0);
    const opening = openingAt(endsAtMs + MAX_FILLED_AT_ONCE_MS + 1000);
    expect(await stub.resume(opening)).toMatchObject({ discontinuity: true, nextMsn: 2 });
  });
});

describe("a freeze at the end of a broadcast", () => {
  test("is not recorded, and is deleted from R2 with the session's index", async () => {
    const { stub, session } = await left(9);
    await stub.freeze(Date.now() + A_WHILE_MS);
    await stub.end();
    const recorded = await stub.recorded(null);
    expect(recorded!.renditions.map(({ segments }) => segments.bytes.length)).toEqual([2, 2]);
    const keys = async () =>
      (await env.MEDIA.list({ prefix: `assets/${session.sessionId}/` })).objects.map(({ key }) =>
        key.split("/").at(-1),
      );
    expect((await keys()).filter((key) => /^[2-9]/.test(key!)).length).toBeGreaterThan(0);
    await stub.release(0);
    await tickTo(stub);
    expect((await keys()).map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "0.m4s",
      "0.m4s",
      "1.m4s",
      "1.m4s",
      "init-0.mp4",
      "init-0.mp4",
    ]);
  });

  test("is deleted a minute later when R2 fails", async () => {
    const { stub, session } = await left(9);
    await stub.freeze(Date.now() + A_WHILE_MS);
    await stub.end();
    await stub.release(0);
    const frozenKeys = async () => {
      const { objects } = await env.MEDIA.list({ prefix: `assets/${session.sessionId}/` });
      return objects.filter(({ key }) => /\/[2-9]\.m4s$/.test(key)).length;
    };
    const before = await frozenKeys();
    const refusing = { delete: () => Promise.reject(new Error("R2 is out of order")) };
    const dueAtMs = await runInDurableObject(
      stub as never,
      (async (origin: { components: { env: typeof env }; alarm: () => Promise<void> }, state: DurableObjectState) => {
        const known = origin.components.env;
        origin.components.env = { ...known, MEDIA: refusing as unknown as R2Bucket };
        await origin.alarm();
        origin.components.env = known;
        return await state.storage.getAlarm();
      }) as never,
    );
    expect(await frozenKeys()).toBe(before);
    expect(Number(dueAtMs) - Date.now()).toBeGreaterThan(50_000);
    await tickTo(stub);
    expect(await frozenKeys()).toBe(0);
  });

  test("is not in clips", async () => {
    const { stub } = await left(9);
    await stub.freeze(Date.now() + A_WHILE_MS);
    expect(await stub.findRange(1, 8)).toEqual({ kind: "early" });
    await stub.end();
    expect(await stub.findRange(5, 8)).toMatchObject({ kind: "beyond" });
    expect(await stub.findRange(1, 8)).toMatchObject({ kind: "range", first: 0, last: 1 });
  });

  test("is recorded when the broadcaster has returned", async () => {
    const { stub, endsAtMs } = await left(3);
    await stub.freeze(Date.now() + A_WHILE_MS);
    const { nextMsn, ticks } = await stub.resume(openingAt(endsAtMs + 4000));
    await bringInits(stub);
    const decodeTicks = { v720: ticks["v720"]!, a1: ticks["a1"]! };
    await bringSegment(stub, nextMsn, { decodeTicks, capturedAtMs: endsAtMs + 4000 });
    await stub.end();
    const recorded = await stub.recorded(null);
    expect(recorded!.renditions.map(({ segments }) => segments.bytes.length)).toEqual([nextMsn + 1, nextMsn + 1]);
    expect(recorded!.renditions.map(({ segments }) => segments.spans!.length)).toEqual([1, 1]);
  });
});
