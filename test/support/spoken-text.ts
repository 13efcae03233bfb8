/** A long text that Debian's `flite` speaks, sentence by sentence, so that the start of each one is known. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { waveFile } from "./wave-file.ts";

const run = promisify(execFile);
const FLITE = process.env["FLITE"] ?? "/usr/bin/flite";

const WHO =
  "The old captain;A young teacher;The night train;My brother;The grey cat;Our neighbour;Every farmer;Her sister;The tall baker;A lonely dog;The new doctor;Their uncle".split(
    ";",
  );
const DOES = "carries;follows;paints;remembers;watches;opens;repairs;sells;counts;washes;draws;hides;borrows".split(
  ";",
);
const WHAT =
  "the wooden bridge;seven small boats;a letter from the south;the garden gate;every yellow lamp;two heavy books;a basket of apples;the broken clock;some warm bread;the kitchen window;a silver key".split(
    ";",
  );
const WHEN =
  "before the rain begins;in the middle of winter;while the music plays;after a long dinner;near the quiet river;on the first of May;without a single word".split(
    ";",
  );

/** Neighbouring ones have no part in common: a speech model takes those that do for its own repetition. */
function sentence(number: number): string {
  const pick = (list: readonly string[], step: number) => list[(number * step) % list.length]!;
  return `${pick(WHO, 5)} ${pick(DOES, 4)} ${pick(WHAT, 3)} ${pick(WHEN, 2)}.`;
}

export interface Spoken {
  text: string;
  /** Of its first sound. */
  startMs: number;
  endMs: number;
}

/** Below this, a sample of flite is silence. */
const AUDIBLE = 300;

/** @param pauseMs the silence behind each sentence @returns the sentences, and all of them as a WAVE file */
export async function speak(
  seconds: number,
  pauseMs: (number: number) => number,
): Promise<{ file: Buffer; spoken: Spoken[] }> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-flite-"));
  const pieces: Int16Array[] = [];
  const spoken: Spoken[] = [];
  let sampleRateHz = 16_000;
  let samples = 0;
  for (let number = 0; samples / sampleRateHz < seconds; number += 1) {
    const text = sentence(number);
    const path = join(folder, "one.wav");
    await run(FLITE, ["-voice", "rms", "-t", text, "-o", path]);
    const wave = await readFile(path);
    sampleRateHz = wave.readUInt32LE(24);
    const at = wave.indexOf("data") + 8;
    const sound = new Int16Array(
      wave.buffer.slice(wave.byteOffset + at, wave.byteOffset + wave.length - ((wave.length - at) % 2)),
    );
    const isAudible = (sample: number) => Math.abs(sample) > AUDIBLE;
    const ms = (index: number) => ((samples + index) / sampleRateHz) * 1000;
    spoken.push({ text, startMs: ms(sound.findIndex(isAudible)), endMs: ms(sound.findLastIndex(isAudible)) });
    const silence = new Int16Array(Math.round((pauseMs(number) / 1000) * sampleRateHz));
    pieces.push(sound, silence);
    samples += sound.length + silence.length;
  }
  await rm(folder, { recursive: true });
  const whole = new Int16Array(samples);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  const file = waveFile({ sampleRateHz, channels: 1, samples, sampleAt: (index) => whole[index]! / 32_768 });
  return { file, spoken };
}

/** Words as both sides of a comparison have them. */
export const plainWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/\bseven\b/g, "7")
    .replaceAll(/\btwo\b/g, "2")
    .replaceAll(/\bfirst\b/g, "1st")
    .replaceAll(/\bgray\b/g, "grey")
    .replaceAll(/\bneighbor\b/g, "neighbour")
    .replaceAll(/[^a-z0-9 ]/g, " ")
    .split(" ")
    .filter((word) => word !== "");

/** Pairs of the fewest changes that make one list of the other; -1 = the other list has no such word. */
export function align(
  wanted: readonly string[],
  heard: readonly string[],
): { errors: number; pairs: [number, number][] } {
  const width = heard.length + 1;
  const costs = new Uint32Array((wanted.length + 1) * width);
  for (let j = 0; j < width; j += 1) costs[j] = j;
  for (let i = 1; i <= wanted.length; i += 1) {
    costs[i * width] = i;
    for (let j = 1; j < width; j += 1)
      costs[i * width + j] = Math.min(
        costs[(i - 1) * width + j - 1]! + (wanted[i - 1] === heard[j - 1] ? 0 : 1),
        costs[(i - 1) * width + j]! + 1,
        costs[i * width + j - 1]! + 1,
      );
  }
  const pairs: [number, number][] = [];
  for (let [i, j] = [wanted.length, heard.length]; i > 0 || j > 0;) {
    const cost = costs[i * width + j]!;
    if (i > 0 && j > 0 && cost === costs[(i - 1) * width + j - 1]! + (wanted[i - 1] === heard[j - 1] ? 0 : 1))
      pairs.push([--i, --j]);
    else if (i > 0 && cost === costs[(i - 1) * width + j]! + 1) pairs.push([--i, -1]);
    else pairs.push([-1, --j]);
  }
  return { errors: costs.at(-1)!, pairs: pairs.toReversed() };
}
