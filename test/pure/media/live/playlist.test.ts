import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { livePlaylist } from "../../../../src/media/live/playlist.ts";
import { decideReload } from "../../../../src/media/live/reload.ts";
import { type LiveRendition, windowed } from "../../../../src/media/live/timeline.ts";
import { session, TIMING } from "./session.ts";

const render = (rendition: LiveRendition, more: object = {}) =>
  livePlaylist({ rendition, timing: TIMING, others: [], isDelta: false, ...more });
const lines = (text: string, tag: string) => text.split("\n").filter((line) => line.startsWith(tag));

test("a playlist that never removes segments has type EVENT, also in a delta update; others have no type", () => {
  const live = session(40, 1);
  for (const isDelta of [false, true]) {
    expect(lines(render(live, { isDelta, isEvent: true }), "#EXT-X-PLAYLIST-TYPE")).toEqual([
      "#EXT-X-PLAYLIST-TYPE:EVENT",
    ]);
    expect(render(live, { isDelta })).not.toContain("#EXT-X-PLAYLIST-TYPE");
  }
});

test("a session on air", () => {
  const audio = session(2, 2, { name: "a1" });
  expect(render(session(2, 1), { others: [audio] })).toBe(
    `#EXTM3U
#EXT-X-VERSION:6
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5,HOLD-BACK=6,CAN-SKIP-UNTIL=12
#EXT-X-PART-INF:PART-TARGET=0.5
#EXT-X-MEDIA-SEQUENCE:1
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="v720/init-0.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:00.000Z
#EXT-X-PART:DURATION=0.5,URI="v720/0.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.5,URI="v720/0.1.m4s"
#EXT-X-PART:DURATION=0.5,URI="v720/0.2.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.5,URI="v720/0.3.m4s"
#EXTINF:2,
v720/0.m4s
#EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:02.000Z
#EXT-X-PART:DURATION=0.5,URI="v720/1.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.5,URI="v720/1.1.m4s"
#EXT-X-PART:DURATION=0.5,URI="v720/1.2.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.5,URI="v720/1.3.m4s"
#EXTINF:2,
v720/1.m4s
#EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:04.000Z
#EXT-X-PART:DURATION=0.5,URI="v720/2.0.m4s",INDEPENDENT=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="v720/2.1.m4s"
#EXT-X-RENDITION-REPORT:URI="a1.m3u8",LAST-MSN=3,LAST-PART=1
`,
  );
});

/** Sum of the listed durations, as players add them up, less the true one, in seconds. */
function excess(name: string, timescale: number, durations: number[]): number[] {
  let at = 0;
  const segments = durations.map((durationTicks, msn) => {
    const [whole] = session(1).segments;
    at += durationTicks;
    return { ...whole!, msn, decodeTicks: at - durationTicks, durationTicks, parts: [] };
  });
  let listed = 0;
  let ticks = 0;
  return lines(render(session(0, 0, { name, timescale, segments })), "#EXTINF").map((line, n) => {
    listed += Number.parseFloat(line.slice("#EXTINF:".length));
    ticks += durations[n]!;
    return listed - ticks / timescale;
  });
}

test("listed durations add up to the true ones within 20 µs, and those of sound to up to 1.1 ms more, beyond the picture's", () => {
  const frames = fc.array(fc.integer({ min: 20, max: 200 }), { minLength: 1, maxLength: 500 });
  fc.assert(
    fc.property(
      frames,
      fc.constantFrom(44_100, 48_000),
      fc.constantFrom(90_000, 120_000, 30_000),
      (counts, rate, ticks) => {
        const sound = excess(
          "a1",
          rate,
          counts.map((count) => count * 1024),
        );
        const picture = excess(
          "v720",
          ticks,
          counts.map((count) => Math.round((count * ticks) / 24)),
        );
        expect(Math.min(...sound)).toBeGreaterThan(Math.max(...picture));
        expect(Math.max(...picture.map(Math.abs))).toBeLessThan(20.1e-6);
        expect(Math.max(...sound)).toBeLessThan(1.1e-3);
      },
    ),
  );
});

test("the dates of sound differ by the listed durations, and place no segment after its media on the picture's clock", () => {
  const zeroMs = fc.double({ min: 1.7e12, max: 1.9e12, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 20, max: 200 }), { minLength: 2, maxLength: 50 }),
      fc.constantFrom(44_100, 48_000),
      zeroMs,
      fc.nat(10_000),
      (counts, rate, beganAtMs, startFrame) => {
        const [whole] = session(1).segments;
        let at = startFrame * 1024;
        const segments = counts.map((count, msn) => {
          const decodeTicks = at;
          at += count * 1024;
          const capturedAtMs = beganAtMs + (decodeTicks * 1000) / rate;
          return { ...whole!, msn, decodeTicks, durationTicks: count * 1024, capturedAtMs, parts: [] };
        });
        const datesOf = (text: string) =>
          lines(text, "#EXT-X-PROGRAM").map((line) => Date.parse(line.slice(line.indexOf(":") + 1)));
        const sound = render(session(0, 0, { name: "a1", timescale: rate, segments }));
        const dates = datesOf(sound);
        const listed = lines(sound, "#EXTINF").map((line) => Number.parseFloat(line.slice("#EXTINF:".length)));
        for (const [n, date] of dates.slice(1).entries()) expect(date - dates[n]!).toBe(Math.round(listed[n]! * 1000));
        const picture = [{ ...whole!, decodeTicks: 0, durationTicks: 90_000, capturedAtMs: beganAtMs, parts: [] }];
        const [began] = datesOf(render(session(0, 0, { name: "v720", timescale: 90_000, segments: picture })));
        for (const [n, { decodeTicks }] of segments.entries())
          expect(dates[n]! - began!).toBeLessThanOrEqual((decodeTicks * 1000) / rate);
      },
    ),
  );
});

test("the parts of a segment last as long as the segment, as players add them up", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 20 }),
      fc.constantFrom(["v720", 30_000, 1001], ["v720", 90_000, 3750], ["a1", 44_100, 1024], ["a1", 48_000, 1024]),
      fc.nat(10_000),
      (frames, [name, timescale, frameTicks], startFrame) => {
        const [whole] = session(1).segments;
        const parts = frames.map((count) => ({
          bytes: 1,
          isIndependent: true,
          durationTicks: count * frameTicks,
        }));
        const durationTicks = parts.reduce((sum, part) => sum + part.durationTicks, 0);
        const segment = { ...whole!, decodeTicks: startFrame * frameTicks, durationTicks, parts };
        const text = render(session(0, 0, { name: name, timescale: timescale, segments: [segment] }));
        const listed = lines(text, "#EXT-X-PART:").map((line) =>
          Number.parseFloat(line.slice("#EXT-X-PART:DURATION=".length)),
        );
        const [inf] = lines(text, "#EXTINF").map((line) => Number.parseFloat(line.slice("#EXTINF:".length)));
        expect(Math.abs(listed.reduce((sum, seconds) => sum + seconds, 0) - inf!)).toBeLessThan(1e-9);
      },
    ),
  );
});

describe("the live edge", () => {
  test("the hint refers to the first part of the next segment when the last one is whole", () => {
    expect(render(session(3))).toContain('#EXT-X-PRELOAD-HINT:TYPE=PART,URI="v720/3.0.m4s"');
    expect(render(session(0))).toContain('#EXT-X-PRELOAD-HINT:TYPE=PART,URI="v720/0.0.m4s"');
  });

  test("parts are listed for three target durations from the end, and for no segment before", () => {
    const text = render(session(10, 2));
    expect(lines(text, "#EXT-X-PART:")[0]).toContain("v720/7.0.m4s"); // 7 ends 5 s before the end
    expect(lines(text, "#EXTINF")).toHaveLength(10);
  });

  test("an ended session has an end tag, and no hint or report after it", () => {
    const text = render(session(3, 0, { hasEnded: true }), { others: [session(3)], isDelta: true });
    expect(text.trimEnd().split("\n").at(-1)).toBe("#EXT-X-ENDLIST");
    expect(text).not.toContain("PRELOAD-HINT");
    expect(text).not.toContain("RENDITION-REPORT");
  });

  test("a dropped rung is not reported, also before its last part", () => {
    const others = [session(2, 1, { name: "v480", droppedFrom: 3 }), session(2, 1, { name: "a1" })];
    expect(lines(render(session(2, 1), { others }), "#EXT-X-RENDITION-REPORT")).toEqual([
      '#EXT-X-RENDITION-REPORT:URI="a1.m3u8",LAST-MSN=3,LAST-PART=0',
    ]);
  });

  test("without low latency only whole segments are listed", () => {
    const text = render(session(4, 2), { timing: { targetDurationSeconds: 4, partTargetMs: null } });
    expect(text).not.toMatch(/PART|HINT|REPORT/);
    expect(text).toContain("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=12,CAN-SKIP-UNTIL=24");
    expect(lines(text, "v720/").at(-1)).toBe("v720/3.m4s");
  });
});

describe("a delta update", () => {
  test("skips segments that end more than six target durations before the end, and states their number", () => {
    const text = render(session(20, 2), { isDelta: true });
    // 20 segments of 2 s and 1 s of the next: segment 13 ends 13 s before the end, segment 14 11 s.
    expect(text).toContain("#EXT-X-SKIP:SKIPPED-SEGMENTS=14");
    expect(text).toContain("#EXT-X-MEDIA-SEQUENCE:1");
    expect(text).toContain("#EXT-X-VERSION:9");
    expect(lines(text, "v720/")[0]).toBe("v720/14.m4s");
    expect(lines(text, "#EXT-X-MAP")).toEqual(['#EXT-X-MAP:URI="v720/init-0.mp4"']); // of skipped segments
  });

  test("is the full playlist when nothing can be skipped", () => {
    expect(render(session(5, 1), { isDelta: true })).toBe(render(session(5, 1)));
  });

  test("repeats the init segment where the source has changed", () => {
    const changed = session(20, 2);
    for (const segment of changed.segments.slice(16)) segment.initVersion = 1;
    changed.segments[16]!.isDiscontinuous = true;
    const text = render(changed, { isDelta: true });
    expect(lines(text, "#EXT-X-MAP")).toEqual([0, 1].map((version) => `#EXT-X-MAP:URI="v720/init-${version}.mp4"`));
    expect(text.indexOf("#EXT-X-DISCONTINUITY\n")).toBeLessThan(text.indexOf("init-1.mp4"));
  });

  test("of twelve hours stays below 4 KB, with and without compression", () => {
    const others = ["a1", "v1080", "v480", "v360"].map((name) => session(21_600, 2, { name }));
    const text = render(session(21_600, 3), { isDelta: true, others, query: "?dvrMode=true" });
    expect(text).toContain('URI="v360.m3u8?dvrMode=true",LAST-MSN=21601,LAST-PART=1');
    expect([text.length < 4096, gzipSync(text).length < 1024]).toEqual([true, true]);
  });
});

test("a playlist at the edge costs as much after twelve hours as after two minutes", () => {
  const readsOf = (segments: number) => {
    let reads = 0;
    const rendition = session(segments, 2);
    const list = rendition.segments;
    rendition.segments = new Proxy(list, {
      get(target, name, receiver) {
        if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    expect(decideReload(rendition, TIMING, { msn: segments - 40, part: 1 })).toBe("answer");
    render(windowed(rendition, TIMING, 60));
    render(rendition, { isDelta: true });
    return reads;
  };
  expect(readsOf(21_600)).toBe(readsOf(60));
});

describe("a window", () => {
  test("ends at the edge, and continues the media and discontinuity sequence numbers", () => {
    const rendition = session(50, 1);
    rendition.segments[3]!.isDiscontinuous = true;
    rendition.segments[45]!.isDiscontinuous = true;
    rendition.discontinuities.push(3, 45);
    const text = render(windowed(rendition, TIMING, 60));
    expect(text).toContain("#EXT-X-MEDIA-SEQUENCE:21");
    expect(text).toContain("#EXT-X-DISCONTINUITY-SEQUENCE:1");
    expect(lines(text, "#EXT-X-DISCONTINUITY\n".trim())).toContain("#EXT-X-DISCONTINUITY");
  });

  test("begins at a discontinuity once ten segments follow it, while the session lasts", () => {
    const from = (edge: number, hasEnded = false) => {
      const rendition = { ...session(edge, 1), hasEnded };
      rendition.segments[30]!.isDiscontinuous = true;
      rendition.discontinuities.push(30);
      return windowed(rendition, TIMING, 60).segments[0]!.msn;
    };
    expect([from(39), from(40), from(45), from(45, true)]).toEqual([9, 30, 30, 15]);
  });

  test("is never shorter than three target durations", () => {
    expect(windowed(session(50), TIMING, 0).segments).toHaveLength(3);
    expect(windowed(session(50), TIMING, null).segments).toHaveLength(50);
  });

  test("a lost segment is a gap without parts", () => {
    const rendition = session(3, 1);
    Object.assign(rendition.segments[1]!, { isGap: true });
    const text = render(rendition);
    expect(text).toContain("#EXT-X-GAP\n#EXTINF:2,\nv720/1.m4s");
    expect(text).not.toContain("v720/1.0.m4s");
  });
});
