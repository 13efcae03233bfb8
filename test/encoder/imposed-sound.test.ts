/** Sounds that are mixed into that of an audio job: tones tell which of them is heard, when, and how loud. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ImposedSound } from "../../protocol/jobs.ts";
import { TestEncoder } from "../support/encoder.ts";
import { decodeSound, type DecodedSound } from "../support/rendition.ts";
import { waveFile } from "../support/wave-file.ts";

let encoder: TestEncoder;
let folder: string;
beforeAll(async () => {
  [encoder, folder] = [await TestEncoder.start(), await mkdtemp(join(tmpdir(), "sluice-imposed-"))];
});
afterAll(async () => {
  await encoder.stop();
  await rm(folder, { recursive: true });
});

interface Tone {
  hz: number;
  level: number;
  seconds: number;
  sampleRateHz?: number;
  channels?: number;
}

async function fileOf({ hz, level, seconds, sampleRateHz = 48_000, channels = 1 }: Tone): Promise<string> {
  const path = join(folder, `${[hz, level, seconds, sampleRateHz, channels].join("-")}.wav`);
  const sampleAt = (index: number) => level * Math.sin((2 * Math.PI * hz * index) / sampleRateHz);
  await writeFile(path, waveFile({ sampleRateHz, channels, samples: Math.round(seconds * sampleRateHz), sampleAt }));
  return path;
}

const OWN: Tone = { hz: 440, level: 0.2, seconds: 4 };
const WHOLE: ImposedSound = { startMs: 0, endMs: null, fadeInMs: 0, fadeOutMs: 0 };

async function mixOf(own: Tone, imposed: { path: string; span?: Partial<ImposedSound> }[]) {
  const path = await fileOf(own);
  const { audio } = await encoder.probe(path);
  const { job, desk } = encoder.prepare(path, {
    kind: "audio",
    audio: audio[0]!,
    rendition: "a",
    bitrateBps: 128_000,
    segmentSeconds: { num: 1, den: 1 },
    durationMs: 4000,
    imposed: imposed.map(({ span }) => ({ ...WHOLE, ...span })),
  });
  desk.imposedPaths = imposed.map((one) => one.path);
  await encoder.request("POST", "/jobs", job);
  const ending = await desk.ending;
  if ("failure" in ending) return { failure: ending.failure };
  const pieces = ["init.mp4", ...Array.from({ length: 5 }, (_, index) => `${index}.m4s`)];
  return { sound: await decodeSound(Buffer.concat(pieces.flatMap((name) => desk.objects.get(`a/${name}`) ?? []))) };
}

/** The level of a tone between two times (Goertzel), as the level of its sine. */
function levelOf(hz: number, { samples, sampleRateHz }: DecodedSound, from: number, to: number): number {
  const part = samples.subarray(Math.round(from * sampleRateHz), Math.round(to * sampleRateHz));
  let [re, im] = [0, 0];
  for (const [index, value] of part.entries()) {
    re += value * Math.cos((2 * Math.PI * hz * index) / sampleRateHz);
    im += value * Math.sin((2 * Math.PI * hz * index) / sampleRateHz);
  }
  return (2 * Math.hypot(re, im)) / part.length;
}

test("each sound is heard from its start to its end, beside the track's own, which stays as loud and as long", async () => {
  const path = await fileOf({ hz: 2000, level: 0.4, seconds: 3, sampleRateHz: 44_100, channels: 2 });
  const late = await fileOf({ hz: 3000, level: 0.3, seconds: 0.5 });
  const { sound } = await mixOf(OWN, [
    { path, span: { startMs: 1000, endMs: 2000 } },
    { path: late, span: { startMs: 3000 } },
  ]);
  expect(sound).toMatchObject({ channels: 2, sampleRateHz: 48_000 });
  expect(sound!.samples.length).toBe(192_512); // 4 s, in AAC frames
  for (const from of [0.1, 1.1, 2.1, 3.1]) expect(levelOf(440, sound!, from, from + 0.8)).toBeCloseTo(0.2, 2);
  expect(levelOf(2000, sound!, 0, 0.98)).toBeLessThan(0.005);
  expect(levelOf(2000, sound!, 1.02, 1.98)).toBeCloseTo(0.4, 2);
  expect(levelOf(2000, sound!, 2.02, 4)).toBeLessThan(0.005);
  expect(levelOf(3000, sound!, 0, 2.98)).toBeLessThan(0.005);
  expect(levelOf(3000, sound!, 3.05, 3.45)).toBeCloseTo(0.3, 2);
  expect(levelOf(3000, sound!, 3.55, 4)).toBeLessThan(0.005);
});

test("fades rise from the start and fall to the end, also where a sound ends by itself", async () => {
  const path = await fileOf({ hz: 2000, level: 0.4, seconds: 3 });
  const { sound } = await mixOf(OWN, [{ path, span: { startMs: 500, fadeInMs: 1000, fadeOutMs: 1000 } }]);
  const middle = (at: number) => levelOf(2000, sound!, at - 0.05, at + 0.05);
  expect([0.75, 1, 1.25].map(middle)).toEqual([0.1, 0.2, 0.3].map((level) => expect.closeTo(level, 2)));
  expect(middle(2)).toBeCloseTo(0.4, 2);
  expect([2.75, 3, 3.25].map(middle)).toEqual([0.3, 0.2, 0.1].map((level) => expect.closeTo(level, 2)));
  expect(middle(3.6)).toBeLessThan(0.01);
});

test("the sum of loud sounds stays below full scale", async () => {
  const path = await fileOf({ hz: 2000, level: 0.9, seconds: 4 });
  const { sound } = await mixOf({ ...OWN, level: 0.9 }, [{ path }, { path, span: { startMs: 1000 } }]);
  expect(sound!.samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)).toBeLessThan(1.05);
});

test("a sound that cannot be used fails the job, and the message names it", async () => {
  const path = await fileOf({ hz: 2000, level: 0.4, seconds: 1 });
  const text = join(folder, "text.mp3");
  await writeFile(text, "no sound");
  const { failure } = await mixOf(OWN, [{ path }, { path: text }]);
  expect(failure).toMatchObject({ code: "source_not_media", message: expect.stringMatching(/^imposeTracks\[1\]: /) });
});
