import { expect, test } from "vitest";
import { soundFrame } from "../../encoder/media/converted-sound.ts";
import { planesOf } from "../../encoder/media/decoded-sound.ts";
import { joinedSound, type JoinedTake } from "../../encoder/media/joined-sound.ts";

const OUTPUT = { sampleRateHz: 48_000, channels: 1 };
const HALF_FADE = 240;

/** A sine of a file, from a sample of it on, in frames of a length that does not divide those of the takes. */
function take(hz: number, fromSample: number, samples: number, untilSample = Infinity): JoinedTake {
  async function* frames(leadSeconds: number) {
    for (let at = fromSample - Math.round(leadSeconds * OUTPUT.sampleRateHz); at < untilSample; at += 777) {
      const length = Math.min(777, untilSample - at);
      yield soundFrame([Float32Array.from({ length }, (_, n) => sine(hz, at + n))], OUTPUT.sampleRateHz);
    }
  }
  return { samples, open: frames };
}
const silence = (samples: number): JoinedTake => ({ samples, open: null });
const sine = (hz: number, sample: number) => 0.5 * Math.sin((2 * Math.PI * hz * sample) / OUTPUT.sampleRateHz);

async function joined(...takes: JoinedTake[]): Promise<Float32Array> {
  const all: number[] = [];
  for await (const frame of joinedSound(takes, OUTPUT)) {
    expect(Number(frame.pts)).toBe(all.length);
    all.push(...planesOf(frame)[0]!);
    frame.free();
  }
  return Float32Array.from(all);
}

const largestStep = (samples: Float32Array) =>
  samples.reduce((most, value, n) => (n === 0 ? 0 : Math.max(most, Math.abs(value - samples[n - 1]!))), 0);

test("a sound that is cut and joined with its own continuation stays as it is", async () => {
  const samples = await joined(take(440, 1000, 30_000), take(440, 31_000, 480), take(440, 31_480, 20_000));
  expect(samples.length).toBe(50_480);
  const difference = samples.reduce((most, value, n) => Math.max(most, Math.abs(value - sine(440, 1000 + n))), 0);
  expect(difference).toBeLessThan(1e-6);
});

test("a join makes no step that the sounds do not have themselves", async () => {
  // The first ends at its highest level, the second begins at its lowest.
  const samples = await joined(take(100, 0, 48_000 + 120), take(100, 360, 48_000));
  expect(largestStep(samples)).toBeLessThan(0.012); // 0.0065 is that of the sine itself; a hard cut has 1
  expect(samples.length).toBe(96_120);
});

test("each take begins and ends where it is to, also beside silence and where its file ends", async () => {
  const samples = await joined(take(1000, 0, 10_000), silence(9000), take(1000, 0, 12_000, 6000), take(1000, 0, 5000));
  expect(samples.length).toBe(36_000);
  const isLoud = (from: number, to: number) => samples.subarray(from, to).some((value) => Math.abs(value) > 0.4);
  const isSilent = (from: number, to: number) => samples.subarray(from, to).every((value) => value === 0);
  expect(isLoud(9_500, 9_760)).toBe(true);
  expect(isSilent(10_000 + HALF_FADE, 19_000 - HALF_FADE)).toBe(true);
  expect(isLoud(19_000 + HALF_FADE, 19_500)).toBe(true);
  expect(isSilent(25_000, 31_000 - HALF_FADE)).toBe(true);
  expect(isLoud(31_000 + HALF_FADE, 31_500)).toBe(true);
});
