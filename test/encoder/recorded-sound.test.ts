/** Sound for the recording of a broadcast: cut at its segments, with the times of each span; tones tell where the sound is. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AudioResult, SoundCuts } from "../../protocol/jobs.ts";
import { cutSound } from "../../protocol/media/sound-cuts.ts";
import { TestEncoder } from "../support/encoder.ts";
import { decodeSound } from "../support/rendition.ts";
import { toneAt } from "../support/tones.ts";
import { waveFile } from "../support/wave-file.ts";

let encoder: TestEncoder;
let folder: string;
beforeAll(async () => {
  [encoder, folder] = [await TestEncoder.start(), await mkdtemp(join(tmpdir(), "sluice-recorded-"))];
});
afterAll(async () => {
  await encoder.stop();
  await rm(folder, { recursive: true });
});

const RATE_HZ = 48_000;
/** A tone of its own for each half second. */
const hzAt = (seconds: number) => 400 + 200 * Math.floor(seconds * 2);

async function toneFile(seconds: number): Promise<string> {
  const path = join(folder, `${seconds}.wav`);
  let phase = 0;
  const sampleAt = (index: number) => 0.4 * Math.sin((phase += (2 * Math.PI * hzAt(index / RATE_HZ)) / RATE_HZ));
  await writeFile(path, waveFile({ sampleRateHz: RATE_HZ, channels: 1, samples: seconds * RATE_HZ, sampleAt }));
  return path;
}

/** 3.3 s: two segments, a reconnect on a clock that has gone on, a segment that is lost, and one after it. */
const CUTS: SoundCuts = {
  endsUs: [1_000_000, 1_700_000, 2_000_000, 2_300_000, 3_300_000],
  spans: [
    { first: 0, mediaUs: 0, isGap: false },
    { first: 2, mediaUs: 7_250_000, isGap: false },
    { first: 3, mediaUs: 7_550_000, isGap: true },
    { first: 4, mediaUs: 7_850_000, isGap: false },
  ],
};

async function encode(seconds: number) {
  const path = await toneFile(seconds);
  const { audio } = await encoder.probe(path);
  const { job, desk } = encoder.prepare(path, {
    kind: "audio",
    audio: audio[0]!,
    rendition: "a",
    bitrateBps: 128_000,
    segmentSeconds: { num: 4, den: 1 },
    durationMs: 3300,
    hasCuts: true,
  });
  desk.cuts = CUTS;
  await encoder.request("POST", "/jobs", job);
  const ending = await desk.ending;
  if ("failure" in ending) throw new Error(ending.failure.message);
  const result = ending.result as AudioResult;
  const soundOf = (...segments: number[]) =>
    decodeSound(
      Buffer.concat(["init-0.mp4", ...segments.map((n) => `${n}.m4s`)].map((n) => desk.objects.get(`a/${n}`)!)),
    );
  return { result, desk, soundOf };
}

test.each([
  ["longer than the recording is cut to its length", 5],
  ["shorter than the recording is filled with silence", 2.5],
])("sound that is %s, and each span has the clock of its picture", async (_, seconds) => {
  const { result, desk, soundOf } = await encode(seconds);
  expect(result.segmentBytes!.map((bytes) => bytes > 0)).toEqual([true, true, true, false, true]);
  expect([...desk.objects.keys()].toSorted()).toEqual(["a/0.m4s", "a/1.m4s", "a/2.m4s", "a/4.m4s", "a/init-0.mp4"]);
  const cuts = cutSound(CUTS, RATE_HZ);
  for (const [segments, startSeconds, mediaSeconds] of [
    [[0, 1], 0, 0],
    [[2], 1.7, 7.25],
    [[4], 2.3, 7.85],
  ] as const) {
    const sound = await soundOf(...segments);
    expect(sound.startSeconds).toBeCloseTo(cuts[segments[0]]!.decodeTicks / RATE_HZ, 4);
    expect(sound.largestHoleSeconds).toBeLessThan(1e-6);
    const frames = segments.reduce((sum: number, n) => sum + cuts[n]!.frameCount, 0);
    expect(sound.samples.length).toBe(frames * 1024);
    const length = sound.samples.length / RATE_HZ;
    for (let at = 0.05; at < length - 0.05; at += 0.05) {
      const onTimeline = startSeconds + at;
      if (Math.abs(onTimeline * 2 - Math.round(onTimeline * 2)) < 0.1) continue; // between two tones
      const expected = onTimeline < seconds ? hzAt(onTimeline) : 0;
      expect([onTimeline, Math.abs(toneAt(sound, mediaSeconds + at) - expected)]).toEqual([
        onTimeline,
        expect.toSatisfy((hz: number) => hz < 40, "the tone of this time"),
      ]);
    }
  }
});
