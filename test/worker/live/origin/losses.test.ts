import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { linesOf, opened, partOf, put, bytesOf, reconnected, textOf, NOW, openingOf } from "./origins.ts";

describe("a segment with lost parts", () => {
  test("is a gap with another rendition's duration when no part was announced, and the next segment continues", async () => {
    const { stub } = await opened(1);
    await put(stub, "a1", 0, [0, 1, 2, 3]);
    await put(stub, "a1", 1, [0, 1, 2]);
    await put(stub, "v720", 1, [0, 1, 2, 3]);
    expect(await stub.gap("a1", 1)).toEqual({ verdict: "taken" }); // it ends with the three parts that have arrived
    expect(await stub.gap("v720", 2)).toEqual({ verdict: "taken" });
    expect(linesOf(await stub.playlist("v720", NOW, false), "#EXTINF", "#EXT-X-GAP")).toEqual([
      "#EXTINF:2,",
      "#EXTINF:2,",
      "#EXT-X-GAP",
      "#EXTINF:2,",
    ]);
    expect(await stub.gap("a1", 2)).toEqual({ verdict: "taken" });
    expect(linesOf(await stub.playlist("a1", NOW, false), "#EXTINF")).toEqual([
      "#EXTINF:2.001,", // sound is rounded up
      "#EXTINF:1.5,",
      "#EXTINF:2,",
    ]);
    expect(await put(stub, "v720", 3, [0])).toEqual(["taken"]);
    expect((await stub.media("v720", 2, null)).kind).toBe("nothing");
  });

  test("is reported in order, and once", async () => {
    const { stub } = await opened(1);
    expect(await stub.gap("v720", 0)).toEqual({ verdict: "known" });
    expect(await stub.gap("v720", 2)).toEqual({ verdict: "missing", expected: { msn: 1, part: 0 } });
    expect((await stub.gap("v999", 0)).verdict).toBe("refused");
    expect(await stub.gap("v720", 1)).toEqual({ verdict: "taken" });
    expect(await stub.gap("v720", 1)).toEqual({ verdict: "known" });
  });

  test("releases held requests", async () => {
    const { stub } = await opened(1);
    await put(stub, "v720", 1, [0]);
    const [segment, part] = [
      stub.playlist("v720", { waitFor: { msn: 1, part: null }, skip: null }, false),
      stub.media("v720", 1, 1),
    ];
    await stub.gap("v720", 1);
    expect(textOf(await segment)).toContain("#EXTINF:0.5,\nv720/1.m4s");
    expect((await part).kind).toBe("nothing");
  });

  test("moves its discontinuity to the next segment, exactly one", async () => {
    const { stub } = await opened(1);
    await stub.gap("v720", 1);
    const later = { ...partOf("v720", 2, 0), initVersion: 1 };
    await stub.putPart(later, bytesOf("v720", 2, 0));
    const breaks = linesOf(await stub.playlist("v720", NOW, false), "#EXT-X-DISCONTINUITY", "#EXT-X-MAP");
    expect(breaks).toEqual([
      '#EXT-X-MAP:URI="v720/init-0.mp4"',
      "#EXT-X-DISCONTINUITY",
      '#EXT-X-MAP:URI="v720/init-1.mp4"',
    ]);
  });
});

describe("a dropped rung", () => {
  test("gets a gap for each whole segment of others, has no preload hint, and holds no request for its own parts", async () => {
    const { stub, session } = await opened(2);
    await put(stub, "a1", 0, [0, 1, 2, 3]);
    await put(stub, "a1", 1, [0, 1, 2, 3]);
    const reports = async () => linesOf(await stub.playlist("a1", NOW, false), "#EXT-X-RENDITION-REPORT");
    expect(await reports()).toHaveLength(1); // this playlist is in the cache now
    expect(await stub.drop("v720", 2)).toEqual({ verdict: "taken" });
    expect(await reports()).toEqual([]); // as in the multivariant playlist
    expect(await stub.drop("v720", 2)).toEqual({ verdict: "known" });
    expect(await stub.dropped()).toEqual(["v720"]);
    const waiting = stub.playlist("v720", { waitFor: { msn: 2, part: 0 }, skip: null }, false);
    await put(stub, "a1", 2, [0, 1, 2, 3]);
    const text = textOf(await waiting);
    expect(text).toContain("#EXT-X-GAP\n#EXTINF:2,\nv720/2.m4s");
    expect(text).not.toContain("PRELOAD-HINT");
    await runInDurableObject(stub, (_, state) => state.abort("killed by the test")).catch(() => undefined);
    const again = env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(session.sessionId));
    expect(await again.dropped()).toEqual(["v720"]);
  });

  test("accepts parts before its end, and is restored after a reconnect", async () => {
    const { stub } = await opened(2);
    await put(stub, "v720", 2, [0, 1]);
    for (const msn of [0, 1, 2, 3]) await put(stub, "a1", msn, [0, 1, 2, 3]);
    await stub.drop("v720", 3);
    expect(await put(stub, "v720", 2, [2, 3])).toEqual(["taken", "taken"]);
    expect(textOf(await stub.playlist("v720", NOW, false))).toContain("#EXT-X-GAP\n#EXTINF:2,\nv720/3.m4s");
    expect(await stub.resume(openingOf(["v720", "a1"]))).toMatchObject({ nextMsn: 4 });
    expect(await stub.dropped()).toEqual([]);
    expect(await put(stub, "v720", 4, [0])).toEqual(["taken"]);
    expect(linesOf(await stub.playlist("a1", NOW, false), "#EXT-X-RENDITION-REPORT")).toHaveLength(1);
  });

  test("stays dropped when the media continues without it after a jump of the source", async () => {
    const { stub } = await opened(2);
    for (const msn of [0, 1]) await put(stub, "a1", msn, [0, 1, 2, 3]);
    await stub.drop("v720", 2);
    expect(await stub.resume(openingOf(["a1"]))).toMatchObject({ nextMsn: 2 });
    expect(await stub.dropped()).toEqual(["v720"]);
    await put(stub, "a1", 2, [0, 1, 2, 3]);
    expect(textOf(await stub.playlist("v720", NOW, false))).toContain("#EXT-X-GAP\n#EXTINF:2,\nv720/2.m4s");
  });

  test("is also one that a broadcast lacks after a reconnect", async () => {
    const { stub, session } = await opened(1);
    await reconnected(stub, session, ["a1"]);
    expect(await stub.dropped()).toEqual(["v720"]);
    await put(stub, "a1", 1, [0, 1, 2, 3]);
    expect(textOf(await stub.playlist("v720", NOW, false))).toContain("#EXT-X-GAP");
  });
});
