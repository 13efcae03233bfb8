/** Tests skip pictures after real H.264 by decoding them with ffmpeg. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, afterAll, beforeAll, expect, test } from "vitest";
import { type AvcStream, avcConfigOf, avcStreamOf, avcUnitOf } from "../../encoder/media/avc-units.ts";
import { skipPictures } from "../../protocol/media/h264/skip-picture.ts";

const run = promisify(execFile);
const START_CODE = Buffer.from([0, 0, 0, 1]);
const HELD = 40;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-skip-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function encode(size: string, frames: number, options: string): Promise<Buffer> {
  const input = `-v error -f lavfi -i testsrc2=s=${size}:r=30 -frames:v ${frames} -pix_fmt yuv420p -c:v libx264`;
  const words = `${input} ${options} -f h264 -`.split(" ");
  return (await run("ffmpeg", words, { encoding: "buffer", maxBuffer: 64 << 20 })).stdout;
}

/** The checksum of each decoded picture. Fails on any decoder message. */
async function decoded(bytes: Buffer): Promise<string[]> {
  const path = join(folder, `${crypto.randomUUID()}.h264`);
  await writeFile(path, bytes);
  const words = `-v warning -xerror -err_detect explode -i ${path} -f framemd5 -`.split(" ");
  const { stdout, stderr } = await run("ffmpeg", words);
  expect(stderr).toBe("");
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => line.split(",").at(-1)!.trim());
}

/** The last access unit of a stream of x264, which begins each with a delimiter. */
function lastUnit(bytes: Buffer, stream: AvcStream): Buffer {
  const at = bytes.lastIndexOf(Buffer.from([0, 0, 0, 1, 9]));
  return avcUnitOf(bytes.subarray(at), stream)!.data;
}

const STREAMS: [string, string][] = [
  ["CABAC", "-preset veryfast -tune zerolatency"],
  ["CAVLC", "-profile:v baseline"],
  ["weighted prediction", "-preset medium -bf 0 -x264-params weightp=2"],
  ["picture order in every slice", "-preset medium -bf 3"],
  ["four slices", "-preset veryfast -bf 0 -x264-params slices=4"],
  ["no deblocking", "-bf 0 -x264-params no-deblock=1"],
  ["a fine quantiser", "-bf 0 -qp 1"],
];
describe.each(["320x180", "1920x1080"])("at %s", (size) => {
  const tags = size === "1920x1080" ? ["full" as const] : [];
  test.each(STREAMS)(
    "a key frame with %s is repeated unchanged by pictures of less than 100 bytes",
    { tags },
    async (_, options) => {
      const key = await encode(size, 1, options);
      const skip = skipPictures(avcConfigOf(avcStreamOf(key)!))!;
      const held = Array.from({ length: HELD }, (_one, index) => Buffer.from(skip(index + 1)));
      const sums = await decoded(Buffer.concat([key, ...held.flatMap((unit) => [START_CODE, unit.subarray(4)])]));
      expect(sums).toHaveLength(1 + HELD);
      expect(new Set(sums).size).toBe(1);
      expect(Math.max(...held.map(({ length }) => length))).toBeLessThan(100);
    },
  );
});

test.each([
  ["CABAC", "-preset veryfast -tune zerolatency"],
  ["CAVLC", "-profile:v baseline"],
  ["four references", "-bf 0 -refs 4"],
])("the last picture of a stream with %s is repeated, wherever its GOP is cut", async (_, options) => {
  for (const frames of [2, 7, 40]) {
    const bytes = await encode("426x240", frames, `${options} -g 30 -aud 1`);
    const stream = avcStreamOf(bytes)!;
    const skip = skipPictures(avcConfigOf(stream), lastUnit(bytes, stream))!;
    const held = Array.from({ length: HELD }, (_one, index) => Buffer.from(skip(index + 1)).subarray(4));
    const sums = await decoded(Buffer.concat([bytes, ...held.flatMap((unit) => [START_CODE, unit])]));
    expect(sums).toHaveLength(frames + HELD);
    expect(new Set(sums.slice(frames - 1)).size).toBe(1);
    expect(new Set(sums).size).toBe(frames);
  }
});

test("interlaced pictures are not repeated", async () => {
  const fields = await encode("320x180", 1, "-flags +ildct+ilme -x264-params tff=1");
  expect(skipPictures(avcConfigOf(avcStreamOf(fields)!))).toBeNull();
});
