import type { Frame } from "node-av/lib";
import { expect, test } from "vitest";
import { convertedSound, silentFrame } from "../../encoder/media/converted-sound.ts";

const OUTPUT = { sampleRateHz: 48_000, channels: 2 };

interface Piece {
  seconds: number;
  lengthSeconds: number;
  sampleRateHz?: number;
  channels?: number;
}

/** What becomes of silent frames at these times: the position and the length of each, in samples. */
async function converted(...pieces: Piece[]): Promise<[number, number][]> {
  async function* frames() {
    for (const { seconds, lengthSeconds, sampleRateHz = 48_000, channels = 2 } of pieces)
      yield { frame: silentFrame({ sampleRateHz, channels }, lengthSeconds * sampleRateHz), seconds };
  }
  const all: [number, number][] = [];
  for await (const frame of convertedSound(frames(), OUTPUT)) {
    expect(formatOf(frame)).toEqual(OUTPUT);
    all.push([Number(frame.pts), frame.nbSamples]);
    frame.free();
  }
  return all;
}

const formatOf = ({ sampleRate, channels }: Frame) => ({ sampleRateHz: sampleRate, channels });
const endOf = (frames: [number, number][]) => frames.at(-1)!.reduce((sum, value) => sum + value, 0);

function expectContiguous(frames: [number, number][]): void {
  let next = 0;
  for (const [position, length] of frames) {
    expect(position).toBe(next);
    next += length;
  }
}

test("a long pause and a late start are filled in pieces of a second at most", async () => {
  const frames = await converted({ seconds: 300, lengthSeconds: 0.1 }, { seconds: 1800, lengthSeconds: 0.1 });
  expectContiguous(frames);
  expect(endOf(frames)).toBe(1800.1 * 48_000);
  expect(Math.max(...frames.map(([, length]) => length))).toBeLessThanOrEqual(48_000);
});

test("sound whose rate and channels change is converted on, without a hole or an overlap", async () => {
  const frames = await converted(
    { seconds: 0, lengthSeconds: 1 },
    { seconds: 1, lengthSeconds: 1, channels: 6 },
    { seconds: 2.5, lengthSeconds: 1, channels: 1, sampleRateHz: 44_100 },
    { seconds: 3.4, lengthSeconds: 1, sampleRateHz: 96_000 },
  );
  expectContiguous(frames);
  expect(Math.abs(endOf(frames) - 4.4 * 48_000)).toBeLessThan(0.021 * 48_000);
});

test("what lies before time 0 is dropped", async () => {
  const frames = await converted({ seconds: -0.4, lengthSeconds: 1 });
  expectContiguous(frames);
  expect(endOf(frames)).toBe(0.6 * 48_000);
});
