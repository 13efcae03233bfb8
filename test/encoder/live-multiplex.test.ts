/** Broadcasts whose packets come in an unusual order or with unusual timestamps. A tone every second shows whether the sound is in its place. */
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { expect, test } from "vitest";
import { broadcast, broadcastOf, fileOf, H264, type Made, partsOf } from "../support/live.ts";
import { checkParts } from "../support/live-checks.ts";
import { type FlvTag, tagsOf } from "../support/flv.ts";
import { decodePictures, decodeSound, loudness } from "../support/rendition.ts";

Log.setLevel(AV_LOG_QUIET);

const SOUND = 8;
const PICTURE = 9;
const typeOf = ({ bytes }: FlvTag) => bytes[0]! % 32;
const isMedia = (tag: FlvTag) => [SOUND, PICTURE].includes(typeOf(tag)) && tag.bytes[12] !== 0;
const flv = () => broadcastOf(`$STRIP -t 8 ${H264} -c:a aac -f flv`);

function withTime(tag: FlvTag, atMs: number): Buffer {
  const bytes = Buffer.from(tag.bytes);
  bytes.writeUIntBE(atMs & 0xffffff, 4, 3);
  bytes[7] = Math.floor(atMs / 2 ** 24) & 0xff;
  return bytes;
}

/** The broadcast with its tags in the order of these times. */
const inOrder = (tags: FlvTag[], at: (tag: FlvTag) => number) =>
  Buffer.concat(tags.toSorted((a, b) => at(a) - at(b)).map(({ bytes }) => bytes));
const secondsOf = (made: Made, name: string, timescale: number) =>
  partsOf(made, name).reduce((sum, { facts }) => sum + facts.durationTicks / timescale, 0);

test.each([
  ["sound 3 s behind its picture", SOUND, 3000],
  ["the picture 3 s behind its sound", PICTURE, 3000],
])("%s: all of both is played, in its place", playsBoth);
test.each([
  ["sound 1.5 s behind its picture", SOUND, 1500],
  ["the picture 1.5 s behind its sound", PICTURE, 1500],
])("%s: all of both is played, in its place", { tags: ["full"] }, playsBoth);

async function playsBoth(_: string, type: number, byMs: number): Promise<void> {
  const tags = tagsOf(await flv());
  const made = await broadcast(inOrder(tags, (tag) => tag.atMs + (typeOf(tag) === type && isMedia(tag) ? byMs : 0)));
  checkParts(made);
  expect(made.openings).toEqual([]);
  expect((await decodePictures(fileOf(made, "v270"))).length).toBeGreaterThanOrEqual(240);
  const [sound, expected] = await Promise.all([
    decodeSound(fileOf(made, "a1")),
    decodeSound(fileOf(await broadcast(await flv()), "a1")),
  ]);
  for (let from = 0.5; from < 7; from += 0.5) {
    const [found, wanted] = [loudness(sound, from, from + 0.5), loudness(expected, from, from + 0.5)];
    expect(found / wanted, `from ${from} s`).toBeGreaterThan(0.8);
    expect(found / wanted, `from ${from} s`).toBeLessThan(1.25);
  }
}

test("sound further behind is left out with a warning", { tags: ["full"] }, async () => {
  const tags = tagsOf(await flv());
  const made = await broadcast(inOrder(tags, (tag) => tag.atMs + (typeOf(tag) === SOUND && isMedia(tag) ? 5000 : 0)));
  expect((await decodePictures(fileOf(made, "v270"))).length).toBeGreaterThanOrEqual(240);
  expect(made.warnings.at(-1)).toEqual([
    {
      code: "interleaving",
      message: expect.stringContaining("sound"),
      since: expect.any(Number),
      count: expect.any(Number),
    },
  ]);
});

test.each([
  ["picture", PICTURE, -3_900_000],
  ["sound", SOUND, 37_600_000],
])("timestamps of the %s that are hours off cost nothing", strayTimesCostNothing);
test.each([["picture", PICTURE, 37_600_000]])(
  "timestamps of the %s that are hours off cost nothing",
  { tags: ["full"] },
  strayTimesCostNothing,
);

async function strayTimesCostNothing(_: string, type: number, byMs: number): Promise<void> {
  let n = 0;
  const tags = tagsOf(await flv()).map((tag) => {
    const atMs = 4_000_000 + tag.atMs;
    const isStray = typeOf(tag) === type && isMedia(tag) && ++n % 60 === 45;
    return tag.bytes.length > 13 ? withTime(tag, isStray ? atMs + byMs : atMs) : tag.bytes;
  });
  const made = await broadcast(Buffer.concat(tags));
  checkParts(made);
  expect(made.openings).toEqual([]);
  expect((await decodePictures(fileOf(made, "v270"))).length).toBe(240);
  const sound = await decodeSound(fileOf(made, "a1"));
  expect(sound.largestHoleSeconds).toBeLessThan(0.001);
  for (let from = 0.5; from < 7; from += 0.5) expect(loudness(sound, from, from + 0.5)).toBeGreaterThan(0.001);
  expect(made.warnings.at(-1)?.map(({ code }) => code)).toEqual(["frames_dropped"]);
}

test.each([true, false])(
  "sound that outlasts the picture is played with the last picture (encoded: %s)",
  async (encodesTopRung) => {
    const tags = tagsOf(await flv()).filter((tag) => typeOf(tag) !== PICTURE || tag.atMs < 6000);
    const made = await broadcast(Buffer.concat(tags.map(({ bytes }) => bytes)), { encodesTopRung });
    const seconds = secondsOf(made, "a1", made.started[0]!.renditions.at(-1)!.timescale);
    expect(seconds).toBeGreaterThan(7.98);
    expect(secondsOf(made, "v270", 120_000)).toBeCloseTo(seconds, 1);
    const versions = [...new Set(made.inits.map(({ version }) => version))];
    const sounds = await Promise.all(versions.map((version) => decodeSound(fileOf(made, "a1", version))));
    const last = sounds.at(-1)!;
    const lastSeconds = last.samples.length / last.sampleRateHz;
    expect(loudness(last, lastSeconds - 0.9, lastSeconds - 0.1)).toBeGreaterThan(0.001);
  },
);

test.each([2, 4])("sound stamped in groups of %s is smooth and in its place", async (size) => {
  let [n, groupMs] = [0, 0];
  const tags = tagsOf(await flv()).map((tag) => {
    if (typeOf(tag) !== SOUND || !isMedia(tag)) return tag.bytes;
    if (n++ % size === 0) groupMs = tag.atMs;
    return withTime(tag, groupMs);
  });
  const [grouped, plain] = await Promise.all(
    [Buffer.concat(tags), await flv()].map(async (source) => decodeSound(fileOf(await broadcast(source), "a1"))),
  );
  expect(grouped!.largestHoleSeconds).toBeLessThan(0.001);
  // The same samples at the same time, apart from what encoding twice changes.
  const from = 2 * plain!.sampleRateHz;
  const [a, b] = [grouped!, plain!].map(({ samples }) => samples.slice(from, from + 4096));
  const energy = (of: Float32Array) => of.reduce((sum, one) => sum + one * one, 0);
  expect(energy(a!.map((one, i) => one - b![i]!)) / energy(b!)).toBeLessThan(0.05);
});
