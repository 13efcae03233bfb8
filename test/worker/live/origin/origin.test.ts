import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { OriginAnswer } from "../../../../src/live/origin/origin-calls.ts";
import { bytesOf, linesOf, newOrigin, NOW, opened, partOf, put, said, textOf, openingOf } from "./origins.ts";

describe("a live origin", () => {
  test("announces a part on arrival, and a segment when it is whole", async () => {
    const { stub } = await opened(1);
    await put(stub, "v720", 1, [0, 1]);
    await put(stub, "a1", 0, [0]);
    const text = textOf(await stub.playlist("v720", NOW, false));
    expect(text).toContain("v720/0.m4s");
    expect(text).not.toContain("v720/1.m4s");
    expect(text).toContain('URI="v720/1.1.m4s"');
    expect(text).toContain('#EXT-X-PRELOAD-HINT:TYPE=PART,URI="v720/1.2.m4s"');
    expect(text).toContain('#EXT-X-RENDITION-REPORT:URI="a1.m3u8",LAST-MSN=1,LAST-PART=0');
  });

  test("holds many blocking reloads until the part has arrived", async () => {
    const { stub } = await opened(2);
    const waiting = Array.from({ length: 50 }, () =>
      stub.playlist("v720", { waitFor: { msn: 2, part: 0 }, skip: null }, false),
    );
    await put(stub, "v720", 2, [0]);
    const texts = (await Promise.all(waiting)).map(textOf);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('URI="v720/2.0.m4s"');
  });

  test("holds the request for a hinted part, and answers 404 for later parts", async () => {
    const { stub } = await opened(1);
    const hinted = stub.media("v720", 1, 0);
    expect(said(await stub.media("v720", 1, 1))).toBe("nothing");
    expect(said(await stub.media("v720", 2, null))).toBe("nothing");
    await put(stub, "v720", 1, [0]);
    expect(said(await hinted)).toBe("[v720 1.0]");
  });

  test("answers a reload that times out with 503", async () => {
    const { stub } = await opened(1, { timing: { targetDurationSeconds: 0.01, partTargetMs: 5 } });
    expect((await stub.playlist("v720", { waitFor: { msn: 1, part: 0 }, skip: null }, false)).kind).toBe("late");
  });

  test("aborts a streamed segment that is not completed in time, and ends one that is closed early", async () => {
    const { stub } = await opened(1, { timing: { targetDurationSeconds: 0.01, partTargetMs: 5 } });
    expect((await stub.media("v720", 1, null)).kind).toBe("late");
    await put(stub, "v720", 1, [0]);
    const late = (await stub.media("v720", 1, null)) as Extract<OriginAnswer, { kind: "growing" }>;
    await expect(new Response(late.stream).text()).rejects.toThrow("disconnected prematurely");
    const { stub: other } = await opened(1);
    await put(other, "v720", 1, [0]);
    const growing = (await other.media("v720", 1, null)) as Extract<OriginAnswer, { kind: "growing" }>;
    const text = new Response(growing.stream).text();
    await other.gap("v720", 1);
    expect(await text).toBe("[v720 1.0]");
  });

  test("refuses a reload that is too far ahead, and an unknown rendition", async () => {
    const { stub } = await opened(1);
    expect((await stub.playlist("v720", { waitFor: { msn: 4, part: null }, skip: null }, false)).kind).toBe("bad");
    expect((await stub.playlist("v1080", NOW, false)).kind).toBe("nothing");
    expect((await newOrigin().stub.playlist("v720", NOW, false)).kind).toBe("nothing");
  });

  test("accepts each part once, in order, and names the missing one", async () => {
    const { stub } = await opened(1);
    expect(await put(stub, "v720", 0, [3])).toEqual(["known"]);
    expect(await put(stub, "v720", 1, [0, 0])).toEqual(["taken", "known"]);
    expect(await stub.putPart(partOf("v720", 1, 2), bytesOf("v720", 1, 2))).toEqual({
      verdict: "missing",
      expected: { msn: 1, part: 1 },
    });
    expect((await stub.putPart(partOf("v999", 0, 0), bytesOf("v999", 0, 0))).verdict).toBe("refused");
  });

  test("stores whole segments in R2, and reads their parts from there after they have left the live edge", async () => {
    const { stub, session } = await opened(7);
    await stub.end();
    const object = await env.MEDIA.get(`assets/${session.sessionId}/renditions/v720/6.m4s`);
    expect(object!.customMetadata).toEqual({ initVersion: "0" }); // encryption reads the codec configuration there
    expect(await object!.text()).toBe("[v720 6.0][v720 6.1][v720 6.2][v720 6.3]");
    expect(said(await stub.media("v720", 6, null))).toBe("[v720 6.0][v720 6.1][v720 6.2][v720 6.3]");
    const old = await stub.media("v720", 0, 1);
    expect(old).toEqual({
      kind: "stored",
      key: `assets/${session.sessionId}/renditions/v720/0.m4s`,
      range: { offset: 10, length: 10 },
      initVersion: 0,
    });
  });

  test("restarts with every part that it has announced, and continues the numbering", async () => {
    const { stub, session } = await opened(2);
    await put(stub, "v720", 2, [0, 1]);
    const before = textOf(await stub.playlist("v720", NOW, false));
    await runInDurableObject(stub, (_, state) => state.abort("killed by the test")).catch(() => undefined);
    const again = env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(session.sessionId));
    expect(textOf(await again.playlist("v720", NOW, false))).toBe(before);
    expect(said(await again.media("v720", 2, 1))).toBe("[v720 2.1]");
    expect(await put(again, "v720", 2, [1, 2])).toEqual(["known", "taken"]);
  });

  test("dates segments by the media before them, and by capture time after a discontinuity", async () => {
    const { stub } = await opened(1);
    const at = async (msn: number, isDiscontinuous: boolean) =>
      await stub.putPart(
        {
          ...partOf("v720", msn, 0),
          isLast: true,
          isDiscontinuous,
          capturedAtMs: partOf("v720", msn, 0).capturedAtMs + 700,
        },
        bytesOf("v720", msn, 0),
      );
    await at(1, false);
    await at(2, true);
    const dates = linesOf(await stub.playlist("v720", NOW, false), "#EXT-X-PROGRAM-DATE-TIME");
    expect(dates.map((line) => line.slice(-13))).toEqual(["12:00:00.000Z", "12:00:02.000Z", "12:00:04.700Z"]);
  });

  test("offers a rendition that a returning broadcaster adds, from there on", async () => {
    const { stub, session } = await opened(2);
    await stub.resume(openingOf(["v720", "a1", "v1080"]));
    await stub.open({ ...session, renditions: [...session.renditions, { ...session.renditions[0]!, name: "v1080" }] });
    expect(await put(stub, "v1080", 1, [0])).toEqual(["missing"]);
    expect(await put(stub, "v1080", 2, [0, 1, 2, 3])).toEqual(["taken", "taken", "taken", "taken"]);
    expect(textOf(await stub.playlist("v1080", NOW, false))).toContain("#EXT-X-MEDIA-SEQUENCE:3");
    expect((await stub.offer())!.variants.map(({ name }) => name)).toEqual(["v720", "a1", "v1080"]);
  });

  test("answers held requests when the session ends, and refuses further parts", async () => {
    const { stub } = await opened(1);
    const waiting = stub.playlist("v720", { waitFor: { msn: 1, part: 0 }, skip: null }, false);
    await stub.end();
    const answer = await waiting;
    expect(answer).toMatchObject({ kind: "playlist", hasEnded: true });
    expect(textOf(answer)).toContain("#EXT-X-ENDLIST");
    expect(await put(stub, "v720", 1, [0])).toEqual(["over"]);
  });
});
