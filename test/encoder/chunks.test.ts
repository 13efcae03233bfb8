import { afterAll, beforeAll, expect, test } from "vitest";
import { TestEncoder } from "../support/encoder.ts";
import { referencePictures } from "../support/reference.ts";
import { decodePictures, encodeInChunks, gridFor, psnr, rungFor } from "../support/rendition.ts";
import { makeSource } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

const FRIDAY_DB = 37;
const mean = (bytes: Buffer) => bytes.reduce((sum, value) => sum + value, 0) / bytes.length;

test("a chunk after the end of the source is empty and does not fail", async () => {
  const path = await makeSource("mov");
  const facts = await encoder.probe(path);
  const { result, desk } = await encoder.encodeVideo(path, {
    video: facts.video!,
    grid: gridFor(facts),
    firstFrame: 300,
    frameCount: 30,
    firstSegment: 10,
    rungs: [rungFor(320, 240)],
  });
  expect(result.frameCount).toBe(0);
  expect(result.renditions[0]!.segments).toEqual([]);
  expect([...desk.objects.keys()]).toEqual(["v/init.mp4"]);
});

/** The first chunk, of three seconds of the grid, and one of a second after it. */
async function heldChunks(claimedMoreMs: number) {
  const path = await makeSource("audio-long"); // the picture ends after two seconds
  const facts = await encoder.probe(path);
  const grid = gridFor(facts);
  const video = { ...facts.video!, durationMs: facts.video!.durationMs + claimedMoreMs };
  const job = { video, grid, rungs: [rungFor(320, 240)], holdsLastPicture: true };
  const first = { firstFrame: 0, frameCount: 3 * grid.framesPerSegment, firstSegment: 0 };
  const behind = { firstFrame: first.frameCount, frameCount: grid.framesPerSegment, firstSegment: 3 };
  const counts: number[] = [];
  for (const range of [first, behind])
    counts.push((await encoder.encodeVideo(path, { ...job, ...range })).result.frameCount);
  return { asked: [first.frameCount, behind.frameCount], counts };
}

test("the last picture is repeated to the end of longer sound, also in chunks that start after it", async () => {
  const { asked, counts } = await heldChunks(0);
  expect(counts).toEqual(asked);
});

test("the last picture of a truncated file is not repeated for the missing part", async () => {
  const { asked, counts } = await heldChunks(5000);
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(asked[0]! + asked[1]!);
});

test("a key frame has the same quality at the start and in the middle of a chunk", async () => {
  const path = await makeSource("mkv");
  const facts = await encoder.probe(path);
  const grid = { frameRate: { num: 30_000, den: 1001 }, framesPerGop: 30, framesPerSegment: 30 };
  const job = { video: facts.video!, grid, rungs: [rungFor(480, 270)] };
  const sizeOfThird = async (firstSegment: number) => {
    const range = { firstFrame: 30 * firstSegment, frameCount: 30 * (4 - firstSegment), firstSegment };
    const { result } = await encoder.encodeVideo(path, { ...job, ...range });
    return result.renditions[0]!.segments[2 - firstSegment]!.keyframes[0]![1];
  };
  const [inTheMiddle, atTheStart] = [await sizeOfThird(0), await sizeOfThird(2)];
  expect(Math.abs(atTheStart / inTheMiddle - 1)).toBeLessThan(0.05); // 0.25 without the frames encoded before it
});

test("segments consist of whole GOPs, in ticks of the rate, with the byte range of each key frame", async () => {
  const path = await makeSource("mkv");
  const facts = await encoder.probe(path);
  const grid = { frameRate: { num: 30_000, den: 1001 }, framesPerGop: 15, framesPerSegment: 30 };
  const rungs = [rungFor(480, 270, "a"), rungFor(240, 134, "b")];
  const { result, desk } = await encoder.encodeVideo(path, {
    video: facts.video!,
    grid,
    firstFrame: 30,
    frameCount: 75,
    firstSegment: 1,
    rungs,
  });
  for (const rendition of result.renditions) {
    expect(rendition.timescale).toBe(30_000);
    expect(rendition.init.codec).toMatch(/^avc1\.6400[0-9A-F]{2}$/);
    expect(rendition.segments.map(({ durationTicks, keyframes }) => [durationTicks, keyframes.length])).toEqual([
      [30_030, 2],
      [30_030, 2],
      [15_015, 1],
    ]);
    for (const [i, segment] of rendition.segments.entries()) {
      const bytes = desk.objects.get(`${rendition.name}/${1 + i}.m4s`)!;
      expect(bytes.length).toBe(segment.bytes);
      for (const [offset] of segment.keyframes) expect(bytes.toString("latin1", offset + 4, offset + 8)).toBe("moof");
    }
  }
});

test("a clip contains exactly its range of the file", async () => {
  const path = await makeSource("mp4-fast-start");
  const clip = { startMs: 2000, endMs: 4500 };
  const facts = await encoder.probe(path, clip);
  expect(facts).toMatchObject({
    durationMs: 2500,
    video: { startMs: 0, durationMs: 2500 },
    audio: [{ startMs: 0, durationMs: 2500 }],
  });
  const { bytes, frameCount } = await encodeInChunks(encoder, path, facts, rungFor(320, 240), clip);
  expect(frameCount).toBe(75);
  const references = await referencePictures(path, "null", 320, 240);
  for (const [i, { luma }] of (await decodePictures(bytes)).entries())
    expect(psnr(luma, references[60 + i]!), `picture ${i}`).toBeGreaterThan(FRIDAY_DB - 2);
});

test("a chunk that begins and ends inside of GOPs has its own pictures alone, at their times", async () => {
  const path = await makeSource("mp4-fast-start");
  const facts = await encoder.probe(path);
  const grid = { frameRate: facts.video!.frameRate, framesPerGop: 60, framesPerSegment: 120 };
  const rung = rungFor(320, 240);
  const references = await referencePictures(path, "null", 320, 240);
  const rate = grid.frameRate.num / grid.frameRate.den;
  for (const [firstFrame, frameCount] of [
    [7, 43],
    [31, 22],
    [59, 1],
  ] as const) {
    const job = { video: facts.video!, grid, firstFrame, frameCount, firstSegment: 0, rungs: [rung] };
    const { desk } = await encoder.encodeVideo(path, job);
    const bytes = Buffer.concat(["init.mp4", "0.m4s"].map((file) => desk.objects.get(`${rung.name}/${file}`)!));
    const pictures = await decodePictures(bytes);
    expect(pictures).toHaveLength(frameCount);
    for (const [n, { luma, timeSeconds, isDamaged }] of pictures.entries()) {
      const quality = psnr(luma, references[firstFrame + n]!);
      expect([isDamaged, quality > FRIDAY_DB - 2], `picture ${n} of ${frameCount}: ${quality}`).toEqual([false, true]);
      expect(timeSeconds).toBeCloseTo((firstFrame + n) / rate, 3);
    }
  }
});

test("a picture that changes size midway keeps its initial output size", async () => {
  const path = await makeSource("size-change");
  const facts = await encoder.probe(path);
  const { bytes } = await encodeInChunks(encoder, path, facts, rungFor(320, 240));
  const pictures = await decodePictures(bytes);
  expect(pictures.length).toBeGreaterThan(170);
  expect(pictures.every(({ widthPx, heightPx }) => widthPx === 320 && heightPx === 240)).toBe(true);
});

test("HDR is converted to 8-bit BT.709, neither black nor white", async () => {
  const path = await makeSource("hdr-pq");
  const facts = await encoder.probe(path);
  expect(facts.video).toMatchObject({ hdr: "pq", bitDepth: 10, codec: "hevc" });
  const { bytes } = await encodeInChunks(encoder, path, facts, rungFor(320, 240));
  const [first] = await decodePictures(bytes);
  expect(mean(first!.luma)).toBeGreaterThan(30);
  expect(mean(first!.luma)).toBeLessThan(225);
});
