import { describe, expect, test } from "vitest";
import type { CaptionChannel } from "../../../../src/media/live/captions.ts";
import { liveMpd } from "../../../../src/media/live/mpd.ts";
import type { MpdRendition } from "../../../../src/media/live/mpd-periods.ts";
import type { LiveFormat } from "../../../../src/media/live/origin-facts.ts";
import type { LiveRendition, LiveTiming } from "../../../../src/media/live/timeline.ts";
import { session, START_MS, TIMESCALE, TIMING } from "./session.ts";

function video(live: LiveRendition, more = {}, ...later: LiveFormat[]): MpdRendition {
  const facts = {
    name: live.name,
    kind: "video" as const,
    widthPx: 1280,
    heightPx: 720,
    bitrateBps: 3_000_000,
    codec: "avc1.64001f",
    timescale: live.timescale,
    ...more,
  };
  const { codec, widthPx, heightPx, bitrateBps } = facts;
  return { live, facts, formats: [{ version: 0, codec, widthPx, heightPx, frameRate: 29.97, bitrateBps }, ...later] };
}
const audio = (live: LiveRendition): MpdRendition =>
  video(live, { kind: "audio", widthPx: null, heightPx: null, bitrateBps: 128_000, codec: "mp4a.40.2" });

const SOUND = 48_000;
/** AAC: 93.75 frames are two seconds. */
function sound(segments: number): LiveRendition {
  const live = session(segments, 0, { name: "a1", timescale: SOUND });
  const cut = (seconds: number) => Math.round((seconds * SOUND) / 1024) * 1024;
  for (const segment of live.segments) {
    segment.decodeTicks = cut(segment.msn * 2);
    segment.durationTicks = cut(segment.msn * 2 + 2) - segment.decodeTicks;
  }
  return live;
}

const render = (
  renditions: MpdRendition[],
  more: { windowSeconds?: number | null; timing?: LiveTiming; omitsType?: boolean; captions?: CaptionChannel[] } = {},
) =>
  liveMpd({
    renditions,
    timing: TIMING,
    windowSeconds: 60,
    channels: 2,
    base: "session/",
    location: "p/session.mpd",
    clockUri: "/p/session/time",
    nowMs: START_MS + 60_000,
    ...more,
  })!;
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found);
const lineOf = (text: string, id: string) =>
  new RegExp(`id="${id}".*?<SegmentTimeline>(.*?)</SegmentTimeline>`).exec(text)![1];

test("a DVR window is as deep as the renditions that have been there from its beginning, not as one that was added later", () => {
  const dvr = (...renditions: MpdRendition[]) =>
    liveMpd({
      renditions,
      timing: TIMING,
      windowSeconds: null,
      isCut: true,
      channels: 2,
      base: "session/",
      location: "p/session.mpd",
      clockUri: "/p/session/time",
      nowMs: START_MS + 60_000,
    })!;
  const picture = session(30);
  const late = session(30, 0, { name: "a1", firstMsn: 27, periodStarts: [27] });
  late.segments = late.segments.slice(27);
  expect(dvr(video(picture), audio(late))).toContain('timeShiftBufferDepth="PT60S"');
});

test("frame rates are exact fractions of the timescale", () => {
  const rateAt = (frameRate: number) => {
    const one = video(session(3, 0, { timescale: 120_000 }));
    return /maxFrameRate="([^"]*)"/.exec(
      render([{ ...one, formats: one.formats.map((format) => ({ ...format, frameRate })) }]),
    )![1];
  };
  expect([24_000 / 1001, 12.5, 25, 29.97, 30, 59.94].map(rateAt)).toEqual([
    "24000/1001",
    "25/2",
    "25",
    "30000/1001",
    "30",
    "60000/1001",
  ]);
});

describe("the MPD of a session on air", () => {
  test("lists the segment in progress, and when it can be requested", () => {
    const text = render([video(session(3, 2)), audio(sound(3))]);
    expect(text).toContain('type="dynamic" availabilityStartTime="2026-11-20T11:59:59.999Z"');
    expect(text).toContain(
      'minimumUpdatePeriod="PT1S" timeShiftBufferDepth="PT60S" suggestedPresentationDelay="PT3.5S"',
    );
    expect(text).toContain('availabilityTimeOffset="1.5" availabilityTimeComplete="false"');
    expect(text).toContain('<Latency target="1500"');
    expect(text).toContain('<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="/p/session/time"/></MPD>');
    expect(text).toContain('frameRate="30000/1001"');
    expect(lineOf(text, "v720")).toBe('<S t="0" d="60000" r="3"/>');
    // Sound ends with the frame that is nearest to the end of the picture: 94, 94, 93 and, as is to be expected, 94 frames.
    expect(lineOf(text, "a1")).toBe('<S t="0" d="96256" r="1"/><S d="95232"/><S d="96256"/>');
  });

  test("expects the segments of a divided beginning, then the usual duration, for video and audio", () => {
    const starts = [0, 1, 2, 4, 6];
    const divided = (live: LiveRendition, cut: (seconds: number) => number): LiveRendition => {
      for (const segment of live.segments) {
        segment.decodeTicks = cut(starts[segment.msn]!);
        segment.durationTicks = cut(starts[segment.msn + 1]!) - segment.decodeTicks;
      }
      return live;
    };
    const aac = (seconds: number) => Math.round((seconds * SOUND) / 1024) * 1024;
    for (const [whole, picture, heard] of [
      [1, '<S t="0" d="30000" r="1"/>', '<S t="0" d="48128" r="1"/>'],
      [2, '<S t="0" d="30000" r="1"/><S d="60000"/>', '<S t="0" d="48128" r="1"/><S d="96256"/>'],
      [3, '<S t="0" d="30000" r="1"/><S d="60000" r="1"/>', '<S t="0" d="48128" r="1"/><S d="96256"/><S d="95232"/>'],
    ] as const) {
      const live = divided(session(whole), (seconds) => seconds * TIMESCALE);
      const text = render([video(live), audio(divided(sound(whole), aac))]);
      expect([lineOf(text, "v720"), lineOf(text, "a1")]).toEqual([picture, heard]);
    }
  });

  test("lists only whole segments without low latency", () => {
    const text = render([video(session(3, 2))], { timing: { targetDurationSeconds: 2, partTargetMs: null } });
    expect(lineOf(text, "v720")).toBe('<S t="0" d="60000" r="2"/>');
    expect(text).not.toContain("availabilityTimeOffset");
    expect(text).toContain('suggestedPresentationDelay="PT6S"');
  });

  test("lists its window, or all segments from the beginning without one", () => {
    const live = session(100, 1);
    expect(all(render([video(live)]), /startNumber="(\d+)"/g)).toEqual(["70"]);
    expect(lineOf(render([video(live)]), "v720")).toBe('<S t="4200000" d="60000" r="30"/>');
    const whole = render([video(live)], { windowSeconds: null });
    expect(all(whole, /startNumber="(\d+)"/g)).toEqual(["0"]);
    expect(whole).not.toContain("timeShiftBufferDepth");
  });

  test("of twelve hours from the beginning has a few lines", () => {
    expect(render([video(session(21_600, 3))], { windowSeconds: null }).length).toBeLessThan(4096);
  });

  test("expects the usual duration for the segment in progress of audio alone, also after hours", () => {
    const seconds = (segments: number) => {
      const [last] = all(render([audio(sound(segments))]), /d="(\d+)"(?: r="\d+")?\/><\/SegmentTimeline>/g);
      return Number(last) / SOUND;
    };
    for (const segments of [1, 2, 7, 20_000]) expect(Math.abs(seconds(segments) - 2)).toBeLessThanOrEqual(1024 / SOUND);
  });

  test("lists no segment longer than maxSegmentDuration, including audio rounded to a frame", () => {
    const text = render([video(session(3, 2)), audio(sound(3))]);
    expect(text).toContain('maxSegmentDuration="PT2.022S"');
  });

  test("is null before the first part", () => {
    expect(render([video(session(0, 0, { periodStarts: [] }))])).toBeNull();
  });
});

describe("a new Period in the session", () => {
  /** The broadcaster was away for 30 s behind segment 4. */
  function reconnected(more: Partial<LiveRendition> = {}) {
    const live = session(8, 0, { periodStarts: [0, 5], discontinuities: [5], ...more });
    for (const segment of live.segments.slice(5)) {
      segment.capturedAtMs += 30_000;
      segment.initVersion = 1;
    }
    live.segments[5]!.isDiscontinuous = true;
    return live;
  }

  test("begins a Period at the wall-clock time, with its own init segment and the session's media time", () => {
    const text = render([video(reconnected())]);
    expect(all(text, /(<Period [^>]*>)/g)).toEqual([
      '<Period id="p0" start="PT0.001S" duration="PT10S">',
      '<Period id="p5" start="PT40.001S">',
    ]);
    expect(all(text, /presentationTimeOffset="(\d+)"/g)).toEqual(["0", "300000"]);
    expect(all(text, /(init-\d)/g)).toEqual(["init-0", "init-1"]);
  });

  test("keeps a Period's id and start when the window has moved into it", () => {
    const live = reconnected();
    const text = render([video(live)], { windowSeconds: 4 });
    expect(all(text, /(<Period [^>]*>)/g)).toEqual(['<Period id="p5" start="PT40.001S">']);
    expect(text).toContain('presentationTimeOffset="300000" startNumber="5"');
  });

  test("omits a rung from where it was dropped, on a continuous timeline", () => {
    const top = session(6, 0, { periodStarts: [0, 3], droppedFrom: 3 });
    for (const segment of top.segments.slice(3)) segment.isGap = true;
    const low = session(6, 1, { name: "v360" });
    const text = render([video(top), video(low, { name: "v360" })]);
    expect(all(text, /(<Period [^>]*>)/g)).toEqual([
      '<Period id="p0" start="PT0.001S" duration="PT6S">',
      '<Period id="p3" start="PT6.001S">',
    ]);
    expect(all(text, /<Representation id="(\w+)"/g)).toEqual(["v720", "v360", "v360"]);
  });
});

test("the MPD of a session that has ended is static, with the duration of its media", () => {
  const text = render([video(session(5, 0, { hasEnded: true }))]);
  expect(text).toContain('type="static" mediaPresentationDuration="PT10.002S"');
  expect(text).not.toMatch(/Location|UTCTiming schemeIdUri="[^"]*" value="[^"]*"\/><\/MPD>|availabilityTimeOffset/);
});

test("the MPD of a session that has ended omits its type on request, as static is the default", () => {
  const root = (live: LiveRendition) => /<MPD [^>]*>/.exec(render([video(live)], { omitsType: true }))![0];
  expect(root(session(5, 0, { hasEnded: true }))).not.toContain(" type=");
  expect(root(session(5, 0))).toContain(' type="dynamic"');
});

const CC1 = [{ name: "cc1", languageCode: "und" }];
/** Teletext for viewers who hear the sound. */
const PAGE = { languageCode: "de", isSubtitle: true } as const;

test("captions are an adaptation set with the segments of the picture, also those before the first text and the one in progress", () => {
  const text = render([video(session(3, 2)), audio(sound(3))], {
    captions: [...CC1, { name: "service2", languageCode: "fr" }, { ...PAGE, name: "teletext888" }],
  });
  const sets = all(text, /(<AdaptationSet id="\d+" contentType="text".*?<\/AdaptationSet>)/gs) as string[];
  expect(sets.map((set) => /<AdaptationSet id="(\d+)".*<Label>(.*?)<\/Label>/s.exec(set)!.slice(1))).toEqual([
    ["2", "CC1"],
    ["3", "French"],
    ["4", "German"],
  ]);
  expect(sets[0]).toContain('mimeType="application/mp4" lang="und"');
  expect(sets[1]).toContain('lang="fr"');
  const roles = sets.map((set) =>
    Array.from(set.matchAll(/<(?:Role|Accessibility) .*?value="(.*?)"/g), ([, value]) => value),
  );
  expect(roles).toEqual([["2", "caption"], ["2", "caption"], ["subtitle"]]);
  expect(sets[0]).toContain('<Representation id="cc1" codecs="wvtt" bandwidth="16000">');
  expect(sets[0]).toContain('<S t="0" d="240000" r="3"/>');
  expect(sets[0]).toContain('availabilityTimeOffset="1.5" availabilityTimeComplete="false"');
  const standard = render([video(session(3, 2))], { captions: CC1, timing: { ...TIMING, partTargetMs: null } });
  const [whole] = all(standard, /(<AdaptationSet id="\d+" contentType="text".*?<\/AdaptationSet>)/gs) as string[];
  expect(whole).toContain('<S t="0" d="240000" r="2"/>');
  expect(whole).not.toContain("availabilityTime");
  const delays = [text, render([video(session(3, 2))])].map(
    (mpd) => /suggestedPresentationDelay="(.*?)"/.exec(mpd)![1],
  );
  expect(delays).toEqual(["PT4.5S", "PT3.5S"]);
});
