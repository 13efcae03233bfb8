/** Watermarks in encoded pictures. The film is flat grey, so that each pixel says what lies over it. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VideoJob, Watermark } from "../../protocol/jobs.ts";
import { placeMark } from "../../protocol/media/mark-place.ts";
import { TestEncoder } from "../support/encoder.ts";
import { madeFile } from "../support/made.ts";
import { type DecodedPicture, decodePictures, gridFor, rungFor } from "../support/rendition.ts";

let encoder: TestEncoder;
let film: string;
let folder: string;
beforeAll(async () => {
  [encoder, folder] = [await TestEncoder.start(), await mkdtemp(join(tmpdir(), "sluice-mark-"))];
  const grey = ["-f", "lavfi", "-i", "color=gray:size=640x360:rate=25,format=yuv420p"];
  film = await madeFile([...grey, ..."-t 3 -c:v libx264 -preset ultrafast".split(" ")], "mp4");
});
afterAll(async () => {
  await encoder.stop();
  await rm(folder, { recursive: true });
});

/** A white image of 80×40, of which the right half is half transparent. */
const png = () =>
  madeFile(
    "-f lavfi -i color=white:size=80x40,format=rgba,geq=r=255:g=255:b=255:a='if(lt(X\\,40)\\,255\\,128)' -frames:v 1".split(
      " ",
    ),
    "png",
  );
const jpeg = () => madeFile("-f lavfi -i color=white:size=80x40 -frames:v 1 -q:v 1".split(" "), "jpg");

const MARK: Watermark = {
  file: 1,
  xAlign: "right",
  xMargin: { value: 40, unit: "px" },
  yAlign: "bottom",
  yMargin: { value: 10, unit: "percent" },
  width: null,
  height: null,
  opacity: 1,
};
const RUNGS = [rungFor(640, 360, "large"), rungFor(320, 180, "small")];

async function encode(image: string, mark: Watermark, frames = { firstFrame: 0, frameCount: 75, firstSegment: 0 }) {
  const { video } = await encoder.probe(film);
  const wanted: Omit<VideoJob, keyof typeof base> = {
    ...frames,
    video: video!,
    grid: gridFor({ video } as never),
    rungs: RUNGS,
    watermark: mark,
  };
  const base = {} as Pick<
    VideoJob,
    "jobId" | "assetId" | "attempt" | "callbackUrl" | "token" | "expiresAt" | "leaseMs" | "clip" | "kind"
  >;
  const { job, desk } = encoder.prepare(film, { kind: "video", ...wanted });
  desk.furtherPaths = [image];
  await encoder.request("POST", "/jobs", job);
  return { ending: await desk.ending, desk };
}

async function picturesOf(image: string, mark: Watermark): Promise<DecodedPicture[][]> {
  const { ending, desk } = await encode(image, mark);
  expect(ending).toMatchObject({ result: { frameCount: 75 } });
  return await Promise.all(
    RUNGS.map(({ name }) =>
      decodePictures(
        Buffer.concat(["init.mp4", "0.m4s", "1.m4s", "2.m4s"].map((file) => desk.objects.get(`${name}/${file}`)!)),
      ),
    ),
  );
}

const pixel = ({ luma, widthPx }: DecodedPicture, x: number, y: number) => luma[y * widthPx + x]!;
const GREY = 126;
const isNear = (value: number, expected: number) => Math.abs(value - expected) <= 4;

test("a mark is burnt into every picture of each rung, at its place, as opaque as it is", async () => {
  const [large, small] = await picturesOf(await png(), MARK);
  for (const picture of [large![0]!, large![40]!, large![74]!]) {
    // 40 px from the right edge, 36 px from the bottom: from 520 to 600, and from 284 to 324
    expect(isNear(pixel(picture, 526, 300), 235)).toBe(true);
    expect(isNear(pixel(picture, 592, 300), Math.round(GREY + (235 - GREY) / 2))).toBe(true);
    for (const [x, y] of [
      [512, 300],
      [608, 300],
      [540, 278],
      [540, 330],
    ] as const)
      expect(isNear(pixel(picture, x, y), GREY)).toBe(true);
  }
  expect(isNear(pixel(small![30]!, 268, 150), 235)).toBe(true);
  expect(isNear(pixel(small![30]!, 250, 150), GREY)).toBe(true);
});

test("opacity fades a mark, also one without transparency of its own", async () => {
  const [large] = await picturesOf(await jpeg(), { ...MARK, opacity: 0.5 });
  expect(isNear(pixel(large![10]!, 560, 300), Math.round(GREY + (235 - GREY) / 2))).toBe(true);
});

test.each([
  ["a page", "<!doctype html><p>no image</p>", "neither a PNG nor a JPEG"],
  ["an SVG", '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>', "neither a PNG nor a JPEG"],
])("%s is no watermark", async (_, content, words) => {
  const { ending } = await encode(await written(Buffer.from(content)), MARK);
  expect(ending).toMatchObject({ failure: { code: "watermark_unusable", message: expect.stringContaining(words) } });
});

test("an image of a hundred megapixels is refused before it is decoded, and half an image is damaged", async () => {
  const header = Buffer.from("89504e470d0a1a0a0000000d49484452000027100000271008060000000000000000", "hex");
  const large = await encode(await written(header), MARK);
  expect(large.ending).toMatchObject({ failure: { message: expect.stringContaining("16 megapixels") } });
  const half = (await readFile(await png())).subarray(0, 60);
  expect((await encode(await written(half), MARK)).ending).toMatchObject({ failure: { code: "watermark_unusable" } });
});

async function written(bytes: Buffer): Promise<string> {
  const path = join(folder, `image-${bytes.length}`);
  await writeFile(path, bytes);
  return path;
}

test("pixels and percent lead to the same place of every rung, and what is too large is made to fit", () => {
  const canvas = { widthPx: 1280, heightPx: 720 };
  const image = { widthPx: 200, heightPx: 100 };
  const at = (mark: Partial<Watermark>, rung = canvas) => placeMark({ ...MARK, ...mark }, image, canvas, rung);
  const px = (value: number) => ({ value, unit: "px" }) as const;
  const percent = (value: number) => ({ value, unit: "percent" }) as const;
  expect(at({ xMargin: px(40), yMargin: px(20) })).toEqual({ x: 1040, y: 600, widthPx: 200, heightPx: 100 });
  expect(at({ xMargin: px(40), yMargin: px(20) }, { widthPx: 640, heightPx: 360 })).toEqual({
    x: 520,
    y: 300,
    widthPx: 100,
    heightPx: 50,
  });
  expect(at({ xAlign: "left", xMargin: percent(10), yAlign: "top", yMargin: percent(10), width: percent(25) })).toEqual(
    { x: 128, y: 72, widthPx: 320, heightPx: 160 },
  );
  expect(at({ xAlign: "center", yAlign: "middle", height: px(50) })).toEqual({
    x: 590,
    y: 336,
    widthPx: 100,
    heightPx: 50,
  });
  expect(at({ xMargin: px(0), yMargin: px(0), width: px(4000) })).toEqual({
    x: 0,
    y: 80,
    widthPx: 1280,
    heightPx: 640,
  });
});
