import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDisposable } from "../../encoder/images/disposable.ts";
import { type PosterChoice, STILL_FORMATS } from "../../protocol/images.ts";
import { TestEncoder } from "../support/encoder.ts";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { askForImage, sizedTo } from "../support/image-request.ts";
import { madeFile } from "../support/made.ts";
import { cutPicture, readPicture } from "../support/pictures.ts";
import { gridFor, rungFor } from "../support/rendition.ts";

/** Frames of the film, which has a GOP, and a segment, a second. */
const [SECONDS, GOP] = [4, 30];
const FRAME_SECONDS = 1001 / 30000;
let encoder: TestEncoder;
let init: Buffer;
let segments: { bytes: Buffer; keyframe: Buffer }[];

beforeAll(async () => {
  const x264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p".split(" ");
  const path = await madeFile([...countedFilm("30000/1001"), "-t", String(SECONDS), ...x264], "mp4");
  encoder = await TestEncoder.start();
  const facts = await encoder.probe(path);
  const { result, desk } = await encoder.encodeVideo(path, {
    video: facts.video!,
    grid: gridFor(facts),
    firstFrame: 0,
    frameCount: SECONDS * GOP,
    firstSegment: 0,
    rungs: [rungFor(320, 180)],
  });
  init = desk.objects.get("v/init.mp4")!;
  segments = result.renditions[0]!.segments.map(({ keyframes: [[offset, length] = [0, 0]] }, n) => {
    const bytes = desk.objects.get(`v/${n}.m4s`)!;
    return { bytes, keyframe: bytes.subarray(offset, offset + length) };
  });
});
afterAll(() => encoder.stop());

const startOf = (segment: number) => segment * GOP * FRAME_SECONDS;
const during = (frame: number) => (frame + 0.5) * FRAME_SECONDS;

/** A still of one frame, out of its segment. */
function stillOf(frame: number) {
  const segment = Math.floor(frame / GOP);
  const { bytes } = segments[segment]!;
  const pieces = [{ init: 0, bytes: bytes.length, startSeconds: startOf(segment), atSeconds: [during(frame)] }];
  return { request: { kind: "still", inits: [init.length], pieces }, media: Buffer.concat([init, bytes]) };
}

/** The first frame of each segment, from its key frame alone. */
function keyFrames() {
  const pieces = segments.map(({ keyframe }, n) => ({
    init: 0,
    bytes: keyframe.length,
    startSeconds: startOf(n),
    atSeconds: [during(n * GOP)],
  }));
  const media = Buffer.concat([init, ...segments.map(({ keyframe }) => keyframe)]);
  return { request: { inits: [init.length], pieces }, media };
}

describe("a still", () => {
  test.each(STILL_FORMATS)("in %s shows exactly the frame of its time", async (format) => {
    const { request, media } = stillOf(47);
    const { type, bytes } = await askForImage(encoder, { ...request, format, transform: sizedTo(320, 180) }, media);
    expect(type).toBe(`image/${format === "jpg" ? "jpeg" : format}`);
    const picture = await readPicture(bytes, format);
    expect(picture).toMatchObject({ widthPx: 320, heightPx: 180 });
    expect(readCounter(picture)).toBe(47);
  });

  test("in AVIF is made by a process that has made others", async () => {
    for (const frame of [3, 31, 62, 93]) {
      const { request, media } = stillOf(frame);
      const { bytes } = await askForImage(encoder, { ...request, format: "avif", transform: sizedTo(320, 180) }, media);
      expect(readCounter(await readPicture(bytes, "avif"))).toBe(frame);
    }
  });

  test("is exact at the first, the second and the last frame of a segment", async () => {
    for (const frame of [60, 61, 89]) {
      const { request, media } = stillOf(frame);
      const asked = { ...request, format: "jpg", transform: sizedTo(160, 90) };
      const { bytes } = await askForImage(encoder, asked, media, false);
      expect(readCounter(await readPicture(bytes, "jpg"))).toBe(frame);
    }
  });

  test("is blurred until nothing in it can be read", async () => {
    const { request, media } = stillOf(5);
    /** The largest step between pixels beside each other. */
    const edgeOf = async (blur?: number) => {
      const transform = { ...sizedTo(320, 180), ...(blur === undefined ? {} : { blur }) };
      const { bytes } = await askForImage(encoder, { ...request, format: "png", transform }, media);
      const { luma, widthPx } = await readPicture(bytes, "png");
      const steps = [...luma].map((value, n) => (n % widthPx === 0 ? 0 : Math.abs(value - luma[n - 1]!)));
      return Math.max(...steps);
    };
    const [sharp, slight, strong] = [await edgeOf(), await edgeOf(10), await edgeOf(50)];
    expect([sharp > 200, slight < sharp / 2, strong < sharp / 8]).toEqual([true, true, true]);
  });

  test("is rotated, mirrored, cropped and padded in this order", async () => {
    const { request, media } = stillOf(5);
    const transform = {
      ...sizedTo(180, 320),
      rotate: 90,
      flip: "h",
      crop: { widthPx: 180, heightPx: 200, smart: true },
      pad: { widthPx: 240, heightPx: 240 },
    };
    const { bytes } = await askForImage(encoder, { ...request, format: "png", transform }, media);
    const picture = await readPicture(bytes, "png");
    expect(picture).toMatchObject({ widthPx: 240, heightPx: 240 });
    const edge = cutPicture(picture, { x: 0, y: 0, widthPx: 24, heightPx: 240 });
    expect(Math.max(...edge.luma)).toBeLessThan(20);
  });
});

test("pictures that no other refers to are recognised by their slices", () => {
  const unit = (header: number) => Buffer.from([0, 0, 0, 2, header, 0x80]);
  const [delimiter, disposable, reference, idr] = [unit(0x09), unit(0x01), unit(0x41), unit(0x65)];
  expect(isDisposable(Buffer.concat([delimiter, disposable, disposable]))).toBe(true);
  for (const sample of [[delimiter], [reference], [idr], [disposable, reference], [Buffer.from([0, 0, 1])]])
    expect(isDisposable(Buffer.concat(sample))).toBe(false);
});

test("a sheet shows the key frames in their order", async () => {
  const { request, media } = keyFrames();
  const asked = { kind: "sheet", ...request, columns: 3, rows: 2, tile: { widthPx: 256, heightPx: 144 } };
  const sheet = await readPicture((await askForImage(encoder, asked, media)).bytes, "jpg");
  expect(sheet).toMatchObject({ widthPx: 768, heightPx: 288 });
  const tile = (n: number) => ({ x: (n % 3) * 256, y: Math.floor(n / 3) * 144, widthPx: 256, heightPx: 144 });
  expect(segments.map((_, n) => readCounter(cutPicture(sheet, tile(n))))).toEqual([0, 30, 60, 90]);
});

test("the poster is chosen among the wanted frames", async () => {
  const { request, media } = keyFrames();
  const { bytes } = await askForImage(encoder, { kind: "poster", ...request }, media);
  const { best, scores } = JSON.parse(bytes.toString()) as PosterChoice;
  expect(scores).toHaveLength(SECONDS);
  expect(scores[best]).toBe(Math.max(...scores));
});

test("a GIF has the frames of its range, at its rate", async () => {
  const [first, second] = [segments[0]!.bytes, segments[1]!.bytes];
  const pieces = [first, second].map((bytes, n) => ({
    init: 0,
    bytes: bytes.length,
    startSeconds: startOf(n),
    atSeconds: [],
  }));
  const range = { startSeconds: 0.5005, endSeconds: 1.5015, framesPerSecond: 10, size: { widthPx: 160, heightPx: 90 } };
  const asked = { kind: "clip", inits: [init.length], pieces, format: "gif", ...range };
  const { bytes } = await askForImage(encoder, asked, Buffer.concat([init, first, second]));
  const clip = await readPicture(bytes, "gif");
  expect(clip).toMatchObject({ codec: "gif", widthPx: 160, heightPx: 90, frames: 10 });
  expect(readCounter(clip)).toBe(15);
});

test("an animated WebP has as many frames, and repeats", async () => {
  const { bytes: media } = segments[1]!;
  const pieces = [{ init: 0, bytes: media.length, startSeconds: startOf(1), atSeconds: [] }];
  const range = { startSeconds: 1.001, endSeconds: 2.002, framesPerSecond: 5, size: { widthPx: 160, heightPx: 90 } };
  const asked = { kind: "clip", inits: [init.length], pieces, format: "webp", ...range };
  const { bytes } = await askForImage(encoder, asked, Buffer.concat([init, media]));
  expect(webpChunks(bytes).filter((name) => name === "ANMF")).toHaveLength(5);
  expect(loopCount(bytes)).toBe(0); // forever
});

test("media that cannot be decoded, and requests of another form, are refused", async () => {
  const { request } = stillOf(0);
  const pieces = [{ init: 0, bytes: 1000, startSeconds: 0, atSeconds: [0] }];
  const broken = { ...request, pieces, format: "jpg", transform: sizedTo(320, 180) };
  expect((await askForImage(encoder, broken, Buffer.alloc(init.length + 1000))).status).toBe(422);
  expect((await askForImage(encoder, broken, Buffer.alloc(10))).status).toBe(422);
  expect((await askForImage(encoder, { kind: "film" }, Buffer.alloc(10))).status).toBe(422);
  const large = { ...broken, transform: sizedTo(1e9, 2) };
  expect((await askForImage(encoder, large, Buffer.alloc(init.length + 1000))).status).toBe(422);
});

/** Names of the chunks of a WebP file (RFC 9649 §2.3). */
function webpChunks(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 12; at + 8 <= bytes.length; at += 8 + 2 * Math.ceil(bytes.readUInt32LE(at + 4) / 2))
    names.push(bytes.toString("latin1", at, at + 4));
  return names;
}

/** Loop count of the ANIM chunk (RFC 9649 §2.7.1.1). */
const loopCount = (bytes: Buffer) => bytes.readUInt16LE(bytes.indexOf("ANIM") + 12);
