import { describe, expect, test } from "vitest";
import { bestPoster, busiestWindow, posterScore } from "../../../../protocol/media/poster-score.ts";
import { clipOrder, stillOrder } from "../../../../src/library/images/orders.ts";
import { jpegSize } from "../../../../src/media/images/jpeg-size.ts";
import { transformName } from "../../../../src/media/images/image-key.ts";
import { isTooMuchMedia } from "../../../../src/media/images/media-bound.ts";
import { readClip, readInterval, readStill } from "../../../../src/media/images/parameters.ts";
import { frameAt, placesBetween } from "../../../../src/media/images/place.ts";
import { planPoster } from "../../../../src/media/images/poster-plan.ts";
import { imageStream, sheetJson, storyboard } from "../../../../src/media/images/sheet-json.ts";
import { planAdvancedSheet, planSheet } from "../../../../src/media/images/sheet-plan.ts";
import { type Fit, nearestRung, PLAIN_FIT, planTransform, snap } from "../../../../src/media/images/sizes.ts";
import type { Problem } from "../../../../src/platform/http/problems.ts";
import { ladderRung } from "./rungs.ts";

const SOURCE = { widthPx: 1280, heightPx: 720 };
const fit = (change: Partial<Fit>): Fit => ({ ...PLAIN_FIT, ...change });
const query = (text: string) => new URLSearchParams(text);

function fieldsOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    return (error as Problem).fields.map(({ field }) => field);
  }
}

describe("parameters", () => {
  test("every invalid field is named", () => {
    const all = "time=NaN&width=0&height=1e9&fit_mode=fill&rotate=1&flip=x&blur=101";
    const names = ["time", "width", "height", "fit_mode", "rotate", "flip", "blur"];
    expect(fieldsOf(() => readStill(query(all))).toSorted()).toEqual(names.toSorted());
    expect(fieldsOf(() => readClip(query("start=5&end=4")))).toEqual(["end"]);
    for (const interval of ["0", "11", "1.5", "NaN"])
      expect(fieldsOf(() => readInterval(query(`interval=${interval}`)))).toEqual(["interval"]);
  });

  test("a misspelt one is refused with the name that was meant", () => {
    expect(fieldsOf(() => readStill(query("widht=100")))).toEqual(["widht"]);
    expect(fieldsOf(() => readStill(query("fit-mode=crop&Height=3")))).toEqual(["fit-mode", "Height"]);
    expect(fieldsOf(() => readClip(query("startt=1")))).toEqual(["startt"]);
    expect(fieldsOf(() => readInterval(query("intervall=2")))).toEqual(["intervall"]);
  });

  test("sizes are snapped to steps of 16 px, up to 256 px to 8 px", () => {
    expect([1, 200, 203, 250, 317, 1279, 4096].map(snap)).toEqual(
      [16, 200, 200, 256, 320, 1280, 4096].map((px, n) => (n === 3 ? 248 : px)),
    );
  });

  test("times are rounded to milliseconds, and other parameters are ignored", () => {
    expect(readStill(query("time=1.23456&token=x")).seconds).toBe(1.235);
    expect(readStill(query("time=0.12000000000000001")).seconds).toBe(0.12); // as JavaScript writes a time of a video
    expect(readStill(query("")).fit).toEqual(PLAIN_FIT);
    expect(readInterval(query(""))).toBe(10);
  });
});

test("a blur is snapped to tens, part of the picture's name, and never replaced by a sharp picture near it", () => {
  expect(["", "blur=0", "blur=1", "blur=50", "blur=91"].map((text) => readStill(query(text)).fit.blur)).toEqual([
    0, 0, 10, 50, 100,
  ]);
  const blurred = planTransform(fit({ blur: 50 }), SOURCE);
  expect([transformName(blurred), planTransform(PLAIN_FIT, SOURCE)]).toEqual([
    "1280x720-b50",
    expect.not.objectContaining({ blur: expect.anything() }),
  ]);
  const who = { assetId: "a", workspaceId: "w", playbackId: "p" };
  const still = (blur: number) => stillOrder(who, [ladderRung()], { seconds: 1, fit: fit({ blur }), format: "jpg" })!;
  expect([still(0).nearSeconds, still(50).nearSeconds]).toEqual([1, null]);
});

describe("a transform", () => {
  test.each([
    ["preserve", 200, 200, { scale: [200, 112] }],
    ["preserve", 4096, null, { scale: [1280, 720] }],
    ["stretch", 200, 200, { scale: [200, 200] }],
    ["crop", 200, 200, { scale: [356, 200], crop: [200, 200] }],
    ["pad", 200, 200, { scale: [200, 112], pad: [200, 200] }],
    ["crop", 320, null, { scale: [320, 180], crop: [320, 180] }],
    ["stretch", 4096, 4096, { scale: [720, 720] }],
    ["stretch", 4096, 720, { scale: [1280, 226] }],
    ["crop", 4096, 4096, { scale: [1280, 720], crop: [720, 720] }],
    ["smartcrop", 4096, null, { scale: [1280, 720], crop: [1280, 720] }],
    ["pad", 4096, 4096, { scale: [1280, 720], pad: [1280, 1280] }],
    ["pad", 4096, 512, { scale: [284, 160], pad: [1280, 160] }],
  ] as const)("%s into %s × %s", (mode, widthPx, heightPx, expected) => {
    const { scale, crop, pad } = planTransform(fit({ mode, widthPx, heightPx }), SOURCE);
    const shown = {
      scale: [scale.widthPx, scale.heightPx],
      ...(crop === null ? {} : { crop: [crop.widthPx, crop.heightPx] }),
      ...(pad === null ? {} : { pad: [pad.widthPx, pad.heightPx] }),
    };
    expect(shown).toEqual(expected);
  });

  test("the box is that of the rotated picture", () => {
    expect(planTransform(fit({ rotate: 90, heightPx: 320 }), SOURCE).scale).toEqual({ widthPx: 180, heightPx: 320 });
  });

  test("equal pictures have equal names, different ones do not", () => {
    const name = (change: Partial<Fit>) => transformName(planTransform(fit(change), SOURCE));
    expect(name({ widthPx: 320 })).toBe(name({ heightPx: 180 }));
    const modes = ["stretch", "crop", "smartcrop", "pad"] as const;
    const names = modes.map((mode) => name({ mode, widthPx: 320, heightPx: 320 }));
    expect(new Set([...names, name({ widthPx: 320, flip: "h" }), name({ widthPx: 320, rotate: 180 })]).size).toBe(6);
  });
});

test("the nearest rung is the smallest with as many pixels as the picture needs, else the largest", () => {
  const rungs = [1280, 640, 480].map((widthPx) =>
    ladderRung({ name: `v${widthPx}`, widthPx, heightPx: (widthPx * 9) / 16 }),
  );
  const rungFor = (change: Partial<Fit>) => nearestRung(rungs, fit(change))?.rung.name;
  expect([rungFor({ widthPx: 200 }), rungFor({ widthPx: 496 }), rungFor({ widthPx: 1920 }), rungFor({})]).toEqual([
    "v480",
    "v640",
    "v1280",
    "v1280",
  ]);
  expect(rungFor({ mode: "crop", widthPx: 320, heightPx: 320 })).toBe("v640");
  expect(rungFor({ rotate: 90, heightPx: 624 })).toBe("v640");
});

describe("the place of a frame", () => {
  const rung = ladderRung({ gops: 5 });

  test("is its GOP, or the key frame alone", () => {
    expect(frameAt(rung, 7)).toMatchObject({
      name: "f175",
      place: { segment: 1, offset: 24 + 20_000, length: 20_000, startSeconds: 6, atSeconds: [7.02] },
    });
    expect(frameAt(rung, 6)).toMatchObject({ name: "f150", place: { segment: 1, offset: 20_024, length: 1000 } });
  });

  test("a time means the frame that is shown then, to half a millisecond", () => {
    expect([0, 0.039, 0.0395, 0.04, 9.999, 10].map((time) => frameAt(rung, time)?.name)).toEqual([
      "f0",
      "f0",
      "f1",
      "f1",
      "f249",
      "f249",
    ]);
  });

  test("without known key frames it is the segment, and of a gap the segment before", () => {
    const source = ladderRung({ gops: 6, name: "source-v", origin: "passthrough" });
    expect(frameAt(source, 5)).toMatchObject({
      name: "t5000",
      place: { isPassthrough: true, segment: 1, offset: 0, length: null, startSeconds: 4 },
    });
    const lost = ladderRung({ gops: 6, origin: "passthrough" });
    lost.segments.bytes[1] = 0;
    expect(frameAt(lost, 5)).toMatchObject({ name: "t4000", place: { segment: 0 } });
    lost.segments.bytes.fill(0);
    expect(frameAt(lost, 5)).toBeNull();
  });

  test("of a recording it has the init segment of its span", () => {
    const recorded = ladderRung({ gops: 6 });
    const span = { startTicks: 0, capturedAtMs: 0, isDiscontinuous: true };
    recorded.segments.spans = [
      { ...span, first: 0, initVersion: 0 },
      { ...span, first: 2, initVersion: 3 },
    ];
    expect(frameAt(recorded, 9)?.place).toMatchObject({ segment: 2, initFile: "init-3.mp4", length: null });
    expect(placesBetween(recorded, 6, 11).map(({ segment }) => segment)).toEqual([1]);
  });
});

describe("a sheet", () => {
  test("has a key frame for each tile, and the fewest GOPs between them that fit", () => {
    const plan = planSheet([ladderRung({ gops: 300 }), ladderRung({ name: "v1080", widthPx: 1920, heightPx: 1080 })])!;
    expect(plan).toMatchObject({ tiles: 100, columns: 10, rows: 10, intervalSeconds: 6, durationSeconds: 600 });
    expect(plan.tile).toEqual({ widthPx: 256, heightPx: 144 });
    expect(plan.places.every(({ length }) => length === 1000)).toBe(true);
  });

  test("with an interval of its own reads each GOP once", () => {
    const plan = planAdvancedSheet([ladderRung({ gops: 5 })], 1)!;
    expect(plan).toMatchObject({ tiles: 10, intervalSeconds: 1 });
    expect(plan.places.map(({ atSeconds }) => atSeconds)).toHaveLength(5);
    expect(plan.places[1]).toMatchObject({ length: 20_000, atSeconds: [2.02, 3.02] });
  });

  test("its JSON has both shapes, its cues the same places", () => {
    const plan = planSheet([ladderRung({ gops: 5 })])!;
    expect(sheetJson(plan, "https://images.example.com/x/spritesheet.jpg")).toEqual({
      url: "https://images.example.com/x/spritesheet.jpg",
      tile_width: 256,
      tile_height: 144,
      duration: 10,
      tiles: [
        { start: 0, x: 0, y: 0 },
        { start: 2, x: 256, y: 0 },
        { start: 4, x: 512, y: 0 },
        { start: 6, x: 0, y: 144 },
        { start: 8, x: 256, y: 144 },
      ],
      columns: 3,
      rows: 2,
      interval: 2,
      tileWidth: 256,
      tileHeight: 144,
      thumbnailCount: 5,
      sheetWidth: 768,
      sheetHeight: 288,
    });
    expect(storyboard(plan, "s.jpg")).toContain("00:00:06.000 --> 00:00:08.000\ns.jpg#xywh=0,144,256,144\n");
    expect(imageStream(plan, "x")).toMatch(
      /^#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=\d+,RESOLUTION=256x144,CODECS="jpeg",URI="x\/images\.m3u8"\n$/,
    );
  });

  test("of sound alone there is none", () => {
    expect(planSheet([ladderRung({ widthPx: null, heightPx: null })])).toBeNull();
  });
});

describe("the poster", () => {
  const picture = (luma: (x: number, y: number) => number) => ({
    widthPx: 32,
    heightPx: 18,
    luma: Uint8Array.from({ length: 32 * 18 }, (_, n) => luma(n % 32, Math.floor(n / 32))),
  });

  test("is sharp rather than blurred, and neither black, white, plain nor faded", () => {
    const sharp = picture((x, y) => 60 + 100 * ((Math.floor(x / 4) + Math.floor(y / 4)) % 2));
    const blurred = picture((x) => 60 + 100 * (0.5 + 0.5 * Math.sin(x / 6)));
    const faded = picture((x, y) => 20 + 8 * ((x + y) % 2));
    const others = [picture(() => 0), picture(() => 255), picture(() => 120), faded, blurred];
    const scores = [...others, sharp].map(posterScore);
    expect(bestPoster(scores)).toBe(5);
    expect(Math.max(...scores.slice(0, 4))).toBeLessThan(0.2);
    expect(bestPoster([1, 1])).toBe(0);
  });

  test("is looked for in the first minute, among thirty frames", () => {
    const plan = planPoster([ladderRung({ gops: 300 })])!;
    expect(plan.seconds).toEqual(Array.from({ length: 30 }, (_, n) => 2 * n));
  });

  test("of a short video is looked for between the key frames too", () => {
    const seconds = planPoster([ladderRung({ gops: 3 })])!.seconds;
    expect(seconds.slice(0, 3)).toEqual([0, 2, 4]); // key frames first: the bound of bytes leaves them
    expect(new Set(seconds).size).toBe(seconds.length);
    const sorted = seconds.toSorted((one, other) => one - other);
    const gaps = sorted.map((at, n) => (sorted[n + 1] ?? 6) - at);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(0.5 + 1e-9);
    expect(planPoster([ladderRung({ gops: 1 })])!.seconds).toHaveLength(12);
  });
});

test("a window lies where the detail is, and in the centre when it is everywhere", () => {
  expect(busiestWindow([0, 0, 0, 5, 9, 5, 0], 3)).toBe(3);
  expect(busiestWindow([1, 1, 1, 1, 1], 3)).toBe(1);
});

test("the size of a JPEG is read from its frame header", () => {
  const header = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 17, 8, 1, 0x68, 2, 0x80, 3];
  expect(jpegSize(Uint8Array.from(header))).toEqual({ widthPx: 640, heightPx: 360 });
  expect(jpegSize(Uint8Array.from(header.slice(0, 9)))).toBeNull();
  expect(jpegSize(new Uint8Array(20))).toBeNull();
});

test("pictures of the source's own media have an encoded rung in reserve, at the same time", () => {
  const who = { assetId: "a", workspaceId: null, playbackId: null };
  const segments = { durationTicks: [100, 100, 100, 100], bytes: [9, 9, 9, 9], keyframes: [] };
  const source = ladderRung({ name: "source-v", origin: "passthrough", widthPx: 1280, heightPx: 720, segments });
  const rungs = [source, ladderRung({ gops: 8 })];
  const still = (from: typeof rungs) => stillOrder(who, from, { seconds: 5, fit: PLAIN_FIT, format: "jpg" })!;
  const clip = clipOrder(who, rungs, readClip(query("start=5&end=7&width=640")), 16, "gif")!;
  for (const { name, places, instead } of [still(rungs), clip]) {
    expect([name.includes("source-v"), places[0]!.rendition]).toEqual([true, "source-v"]);
    const [other] = instead!.places;
    expect([other!.rendition, other!.startSeconds]).toEqual(["v270", places[0]!.startSeconds]);
  }
  expect(still(rungs).instead?.work).toMatchObject({ kind: "still", transform: { scale: { heightPx: 270 } } });
  expect(still([source]).instead).toBeUndefined();
  expect(still([rungs[1]!]).instead).toBeUndefined();
});

describe("the media of one picture is at most 32 MiB", () => {
  const who = { assetId: "a", workspaceId: null, playbackId: null };
  const MIB = 1 << 20;
  /** Four segments of 4 s, cut from the source. */
  const source = (mib: number, widthPx = 1280) =>
    ladderRung({
      name: `source-${widthPx}`,
      origin: "passthrough",
      widthPx,
      heightPx: (widthPx * 9) / 16,
      segments: { durationTicks: [100, 100, 100, 100], bytes: [mib, mib, mib, mib].map((n) => n * MIB), keyframes: [] },
    });
  const clip = (rungs: Parameters<typeof clipOrder>[1], text: string) =>
    clipOrder(who, rungs, readClip(query(text)), 16, "gif")!;
  const still = (rungs: Parameters<typeof stillOrder>[1]) =>
    stillOrder(who, rungs, { seconds: 1, fit: PLAIN_FIT, format: "jpg" })!;

  test("the plan says how much an animation takes, and a shorter one takes less", () => {
    expect(isTooMuchMedia(clip([source(16)], "start=0&end=8").places)).toBe(false);
    expect(isTooMuchMedia(clip([source(16)], "start=0&end=9").places)).toBe(true);
    expect(isTooMuchMedia(still([source(33)]).places)).toBe(true);
  });

  test("a smaller rung is taken when the best one has more", () => {
    const rungs = [source(30, 1280), ladderRung({ gops: 8 }), source(40, 1920)];
    expect(still(rungs).name).toMatch(/^source-1280\./);
    expect(clip(rungs, "start=0&end=10&width=640").name).toMatch(/^clip\.v270\./);
    const { name, places } = clip([source(40, 640), source(50, 1280)], "start=0&end=10&width=640");
    expect([name.startsWith("clip.source-640."), isTooMuchMedia(places)]).toEqual([true, true]);
  });
});
