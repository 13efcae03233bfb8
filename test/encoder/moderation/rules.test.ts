/** Which pictures of a media are looked at, by their times and cells alone. */
import { describe, expect, test } from "vitest";
import { CutDetector } from "../../../encoder/moderation/cut-detector.ts";
import { PictureChooser } from "../../../encoder/moderation/picture-chooser.ts";
import { pictureSpacing } from "../../../encoder/moderation/picture-spacing.ts";
import { sexualScore } from "../../../encoder/moderation/sexual-score.ts";
import { MAX_JUDGED_PICTURES } from "../../../protocol/pictures.ts";

const HOUR_MS = 3600_000;
const FRAME_MS = 40;

/** The times of the taken pictures of a media with one picture each `stepMs`. */
function taken(durationMs: number, cutsMs: readonly number[], stepMs = FRAME_MS): number[] {
  const chooser = new PictureChooser(pictureSpacing(durationMs));
  const cuts = new Set(cutsMs);
  return Array.from({ length: Math.ceil(durationMs / stepMs) }, (_, n) => n * stepMs).filter((ms) =>
    chooser.takes(ms, cuts.has(ms)),
  );
}

describe("the distance of pictures", () => {
  test("is 2 s to 5 s in a media of up to five hours", () => {
    for (const durationMs of [0, 60_000, 4.9 * HOUR_MS])
      expect(pictureSpacing(durationMs)).toEqual({ minGapMs: 2000, maxGapMs: 5000 });
  });

  test("grows with the length of longer ones, so that the pictures of a cut each second are no more than the most", () => {
    const [minutes, hours] = [pictureSpacing(8 * HOUR_MS), pictureSpacing(24 * HOUR_MS)];
    expect(minutes).toMatchObject({ minGapMs: expect.closeTo(3200, -1) as number, maxGapMs: 5000 });
    expect(hours.maxGapMs).toBe(hours.minGapMs);
    for (const durationMs of [5 * HOUR_MS, 8 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS]) {
      const everySecond = Array.from({ length: durationMs / 1000 }, (_, n) => n * 1000);
      const times = taken(durationMs, everySecond, 200);
      expect(times.length).toBeLessThanOrEqual(MAX_JUDGED_PICTURES);
      expect(times.at(-1)!).toBeGreaterThan(durationMs - 11_000);
    }
  });

  test("no more than the most are taken of a media that is longer than it says", () => {
    const chooser = new PictureChooser(pictureSpacing(1000));
    const count = Array.from({ length: 20_000 }, (_, n) => chooser.takes(n * 2000, true)).filter(Boolean).length;
    expect(count).toBe(MAX_JUDGED_PICTURES);
  });
});

describe("the choice of pictures", () => {
  test("without cuts, one is taken before each 5 s are over", () => {
    expect(taken(16_000, [])).toEqual([0, 5000, 10_000, 15_000]);
    expect(taken(16_000, [], 300)).toEqual([0, 4800, 9600, 14_400]);
  });

  test("the first picture of each scene is taken", () => {
    expect(taken(9000, [2400, 8000])).toEqual([0, 2400, 7400]);
    expect(taken(9000, [2400, 4400])).toEqual([0, 2400, 4400]);
  });

  test("of a scene that begins within 2 s of the last picture, one is taken when they are over", () => {
    expect(taken(6000, [1000, 2600])).toEqual([0, 2000, 4000]);
  });

  test("a hole in the media does not bring pictures nearer together", () => {
    const chooser = new PictureChooser(pictureSpacing(60_000));
    const times = [0, 40, 30_000, 30_040, 32_040, 34_960, 35_000, 35_040];
    expect(times.filter((ms) => chooser.takes(ms, false))).toEqual([0, 30_000, 35_000]);
  });
});

describe("cuts", () => {
  const cells = (level: (i: number) => number) => Uint8Array.from({ length: 864 }, (_, i) => level(i));
  const cutsIn = (pictures: readonly Uint8Array[]) => {
    const detector = new CutDetector();
    return pictures.flatMap((picture, n) => (detector.put(picture) ? [n] : []));
  };

  test("another picture is a cut, and the same one is none", () => {
    const [dark, light] = [cells((i) => 20 + (i % 7)), cells((i) => 35 + (i % 11))];
    expect(cutsIn([dark, dark, dark, light, light, light, light, light, dark])).toEqual([3, 8]);
  });

  test("a fade is none, and one of a second or less at most where it begins", () => {
    const fade = (levels: number) => Array.from({ length: 25 }, (_, n) => cells(() => n * levels));
    expect(cutsIn(fade(5))).toEqual([]);
    expect(cutsIn(fade(10))).toEqual([1]);
  });

  test("noise and flicker are none after their first change", () => {
    const noise = Array.from({ length: 50 }, (_, n) => cells((i) => (i * 7919 + n * 104_729) % 256));
    expect(cutsIn(noise)).toEqual([1]);
    const flicker = Array.from({ length: 50 }, (_, n) => cells(() => (n % 2) * 255));
    expect(cutsIn(flicker)).toEqual([1]);
  });

  test("a cut in the midst of movement is one", () => {
    const moving = (base: number) => Array.from({ length: 10 }, (_, n) => cells((i) => base + ((i + n) % 32)));
    expect(cutsIn([...moving(20), ...moving(150)])).toEqual([10]);
  });
});

test("pornography scores its probability, and what is merely sexy a half", () => {
  const none = { Drawing: 0, Hentai: 0, Neutral: 0, Porn: 0, Sexy: 0 };
  expect(sexualScore({ ...none, Porn: 1 })).toBe(1);
  expect(sexualScore({ ...none, Porn: 0.25, Hentai: 0.25, Neutral: 0.5 })).toBe(0.5);
  expect(sexualScore({ ...none, Sexy: 1 })).toBe(0.5);
  expect(sexualScore({ ...none, Drawing: 0.6, Neutral: 0.4 })).toBe(0);
  expect(sexualScore({ ...none, Porn: 0.9, Hentai: 0.100_001 })).toBe(1);
});
