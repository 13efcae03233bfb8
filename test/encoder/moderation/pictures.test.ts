/** The job that takes pictures of all scenes of a media: which ones, on which sheets, and how they are judged. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import { Classifier } from "../../../encoder/moderation/classifier.ts";
import { PICTURES_PER_SHEET, type PicturesPurpose, type PicturesResult } from "../../../protocol/pictures.ts";
import type { Desk } from "../../support/callback-server.ts";
import { TestEncoder } from "../../support/encoder.ts";
import { madeFile } from "../../support/made.ts";
import { readPicture } from "../../support/pictures.ts";
import { rungFor } from "../../support/rendition.ts";

let encoder: TestEncoder;
let folder: string;
beforeAll(async () => {
  encoder = await TestEncoder.start();
  folder = await mkdtemp(join(tmpdir(), "sluice-pictures-"));
});
afterAll(async () => {
  await encoder.stop();
  await rm(folder, { recursive: true, force: true });
});

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));

/** What the encoder stores of a film: the init and the segments of one rung. */
async function rendition(graph: string): Promise<string> {
  const film = await madeFile(
    ["-f", "lavfi", "-i", graph, ..."-c:v libx264 -preset ultrafast -qp 12 -pix_fmt yuv420p".split(" ")],
    "mp4",
  );
  const { video } = await encoder.probe(film);
  const { frameRate, widthPx, heightPx, durationMs } = video!;
  const { result, desk } = await encoder.encodeVideo(film, {
    video: video!,
    grid: { frameRate, framesPerGop: 50, framesPerSegment: 100 },
    firstFrame: 0,
    frameCount: Math.round((durationMs * frameRate.num) / frameRate.den / 1000),
    firstSegment: 0,
    rungs: [{ ...rungFor(widthPx, heightPx), crf: 23 }],
  });
  const segments = result.renditions[0]!.segments.map((_, n) => desk.objects.get(`v/${n}.m4s`)!);
  return await stored(Buffer.concat([desk.objects.get("v/init.mp4")!, ...segments]));
}

let files = 0;
async function stored(bytes: Buffer): Promise<string> {
  const path = join(folder, `${(files += 1)}.mp4`);
  await writeFile(path, bytes);
  return path;
}

interface Scene {
  source: string;
  seconds: number;
}
/** One scene after another, at 25 pictures a second. */
const scenes = (all: readonly Scene[], size = "320x180") =>
  rendition(
    [
      ...all.map(
        ({ source, seconds }, n) => `${source}${source.includes("=") ? ":" : "="}s=${size}:r=25:d=${seconds}[v${n}]`,
      ),
      `${all.map((_, n) => `[v${n}]`).join("")}concat=n=${all.length}`,
    ].join(";"),
  );
/** A scene of one luma, as a JPEG shows it. */
const grey = (luma: number, seconds: number): Scene => ({
  source: `color=0x${luma.toString(16).padStart(2, "0").repeat(3)}`,
  seconds,
});

async function look(
  path: string,
  purpose: PicturesPurpose = "sheets",
): Promise<{ result: PicturesResult; desk: Desk; timesMs: number[] }> {
  const { ending, desk } = await encoder.run(path, { kind: "pictures", rendition: "pictures", purpose });
  expect(ending).toMatchObject({ result: { kind: "pictures" } });
  const { result } = ending as { result: PicturesResult };
  return { result, desk, timesMs: result.pictures.map(([ms]) => ms) };
}

const gapsOf = (timesMs: readonly number[]) => timesMs.slice(1).map((ms, n) => ms - timesMs[n]!);

/** The mean luma in the middle of each place of a sheet. */
async function placesOf(sheet: Buffer): Promise<{ widthPx: number; heightPx: number; lumas: number[] }> {
  const { widthPx, heightPx, luma, codec } = await readPicture(sheet, "jpg");
  expect(codec).toBe("mjpeg");
  const [width, height] = [widthPx / 3, heightPx / 3];
  const lumas = Array.from({ length: PICTURES_PER_SHEET }, (_, place) => {
    const at = (Math.floor(place / 3) + 0.5) * height * widthPx + ((place % 3) + 0.5) * width;
    const samples = luma.subarray(at - 20, at + 20);
    return samples.reduce((sum, one) => sum + one, 0) / samples.length;
  });
  return { widthPx, heightPx, lumas };
}

describe("which pictures are taken", () => {
  test("those of all cuts, one each 5 s, and none within 2 s of another", async () => {
    const film: Scene[] = [
      { source: "color=red", seconds: 3 },
      { source: "testsrc2", seconds: 12 },
      { source: "color=blue", seconds: 2.6 },
      { source: "smptebars", seconds: 4 },
      { source: "color=gray", seconds: 1.2 },
      { source: "rgbtestsrc", seconds: 4 },
    ];
    const { timesMs, desk } = await look(await scenes(film));
    for (const cutMs of [0, 3000, 15_000, 17_600, 21_600])
      expect(timesMs.filter((ms) => ms >= cutMs && ms <= cutMs + 80)).toHaveLength(1);
    // Its first picture is too near to the one before.
    expect(timesMs.filter((ms) => ms >= 23_600 && ms <= 23_700)).toHaveLength(1);
    const gaps = gapsOf(timesMs);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5000);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2000);
    expect(timesMs).toHaveLength(8);
    expect([...desk.objects.keys()]).toEqual(["pictures/0.jpg"]);
  });

  test("of noise and of fades one each 5 s, apart from their first change", async () => {
    const noise = await rendition("color=gray:s=160x90:r=25:d=12,noise=alls=100:allf=t");
    const fades = await rendition("testsrc2=s=320x180:r=25:d=12,fade=out:50:100,fade=in:150:100");
    for (const { timesMs } of [await look(noise), await look(fades)]) {
      const gaps = gapsOf(timesMs);
      expect(gaps.length).toBeGreaterThan(1);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(5000);
      for (const gapMs of gaps.slice(1)) expect(gapMs).toBeGreaterThan(4500);
    }
  });

  test("the first one of a film of one picture, and of one of a fifth of a second", async () => {
    for (const seconds of [0.04, 0.2]) {
      const { result, desk } = await look(await scenes([grey(200, seconds)]));
      expect(result).toEqual({ kind: "pictures", pictures: [[0, null]], engine: null, model: null, judgeMs: 0 });
      const { lumas } = await placesOf(desk.objects.get("pictures/0.jpg")!);
      expect(lumas.map(Math.round)).toEqual([expect.closeTo(200, -1), 0, 0, 0, 0, 0, 0, 0, 0]);
    }
  });
});

test("cuts are the times of scenes behind the first one, without pictures", async () => {
  const film: Scene[] = [
    { source: "color=red", seconds: 3 },
    { source: "testsrc2", seconds: 12 },
    { source: "smptebars", seconds: 1.2 },
    { source: "rgbtestsrc", seconds: 4 },
  ];
  const { timesMs, desk } = await look(await scenes(film), "cuts");
  expect(timesMs).toEqual([3000, 15_000].map((ms) => expect.closeTo(ms, -2)));
  expect(desk.objects.size).toBe(0);
});

describe("sheets", () => {
  test("hold nine pictures each, in the order of reading, and black behind the last one", async () => {
    const lumas = [40, 220, 80, 180, 60, 240, 100, 200, 30, 160, 90];
    const { desk, timesMs } = await look(await scenes(lumas.map((luma) => grey(luma, 2.4))));
    expect(timesMs).toHaveLength(lumas.length);
    expect([...desk.objects.keys()].toSorted()).toEqual(["pictures/0.jpg", "pictures/1.jpg"]);
    const first = await placesOf(desk.objects.get("pictures/0.jpg")!);
    expect([first.widthPx, first.heightPx]).toEqual([1152, 648]);
    for (const [n, luma] of lumas.slice(0, 9).entries()) expect(Math.abs(first.lumas[n]! - luma)).toBeLessThan(6);
    const second = await placesOf(desk.objects.get("pictures/1.jpg")!);
    for (const [n, luma] of [160, 90, 0, 0, 0, 0, 0, 0, 0].entries())
      expect(Math.abs(second.lumas[n]! - luma)).toBeLessThan(6);
  });

  test("fit upright pictures, and stay below 300 kB when they are noise", async () => {
    const upright = await look(await scenes([grey(120, 1)], "180x320"));
    const sheet = await placesOf(upright.desk.objects.get("pictures/0.jpg")!);
    expect([sheet.widthPx, sheet.heightPx]).toEqual([648, 1152]);
    const noise = await rendition("color=gray:s=384x216:r=4:d=42,noise=alls=100:allf=t");
    const { desk } = await look(noise);
    const bytes = desk.objects.get("pictures/0.jpg")!;
    expect(bytes.length).toBeLessThan(300_000);
    expect((await readPicture(bytes, "jpg")).widthPx).toBe(1152);
  });
});

describe("damaged media", () => {
  /** Where each fragment of a file begins: its `moof`. */
  function fragmentsOf(file: Buffer): number[] {
    const found: number[] = [];
    for (let at = 0; at < file.length; at += file.readUInt32BE(at))
      if (file.toString("latin1", at + 4, at + 8) === "moof") found.push(at);
    return found;
  }

  test("gives the pictures around a damaged segment", async () => {
    const file = await readFile(await scenes([{ source: "testsrc2", seconds: 20 }]));
    const fragment = fragmentsOf(file)[4]!; // from 8 s to 10 s
    const payload = fragment + file.readUInt32BE(fragment) + 8;
    const next = fragmentsOf(file)[5]!;
    file.fill(0xa5, payload, next);
    const { timesMs } = await look(await stored(file));
    expect(timesMs[0]).toBe(0);
    expect(timesMs.at(-1)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...gapsOf(timesMs))).toBeLessThanOrEqual(7000);
  });

  test("without one picture fails with a clear error", async () => {
    const file = await readFile(await scenes([{ source: "testsrc2", seconds: 4 }]));
    file.fill(0xa5, fragmentsOf(file)[0]);
    const failure = await encoder.failure(await stored(file), {
      kind: "pictures",
      rendition: "pictures",
      purpose: "sheets",
    });
    expect(failure.code).toMatch(/^source_(damaged|no_streams)$/);
    const sound = await madeFile("-f lavfi -i sine=d=1 -c:a aac".split(" "), "mp4");
    const silent = await encoder.failure(sound, { kind: "pictures", rendition: "pictures", purpose: "sheets" });
    expect(silent).toEqual({ code: "source_no_streams", message: "The media has no picture." });
  });
});

describe("the encoder's own classifier", () => {
  test("finds nothing sexual in harmless films, photographed and drawn, and stores no sheet", async () => {
    const drawn = await scenes([
      { source: "testsrc2", seconds: 3 },
      { source: "smptebars", seconds: 3 },
    ]);
    for (const path of [fixture("friday.mp4"), fixture("flower.mp4"), drawn]) {
      const { result, desk } = await look(path, "scores");
      expect(result).toMatchObject({ engine: "nsfwjs", model: "MobileNetV2Mid" });
      expect(result.judgeMs).toBeGreaterThan(0);
      expect(result.pictures).toHaveLength(2);
      for (const [, score] of result.pictures) expect(score).toBeLessThan(0.4);
      expect(desk.objects.size).toBe(0);
    }
  });

  test("says that it cannot be loaded when its model is damaged", async () => {
    const damaged = { modelJson: () => Promise.resolve({ default: {} }), weightBundles: [] };
    await expect(Classifier.open(damaged as never)).rejects.toMatchObject({
      code: "encoder_failed",
      message: "The encoder cannot load its classifier of pictures.",
    });
  });
});
