/** Sound that is brought to a loudness. The result is measured by ffmpeg's own meter, out of the encoded segments. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AudioResult } from "../../protocol/jobs.ts";
import { TestEncoder } from "../support/encoder.ts";
import { madeFile } from "../support/made.ts";

const run = promisify(execFile);
let encoder: TestEncoder;
let folder: string;
beforeAll(async () => {
  [encoder, folder] = [await TestEncoder.start(), await mkdtemp(join(tmpdir(), "sluice-loudness-"))];
});
afterAll(async () => {
  await encoder.stop();
  await rm(folder, { recursive: true });
});

const TARGET = { targetLufs: -16, maxTruePeakDb: -1 };
const SECONDS = 12;
const generated = (expression: string) =>
  madeFile(["-f", "lavfi", "-i", `aevalsrc='${expression}':s=48000:d=${SECONDS}`, "-c:a", "flac"], "flac");

async function levelled(path: string): Promise<{ result: AudioResult; measured: { lufs: number; peakDb: number } }> {
  const { audio } = await encoder.probe(path);
  const { result, desk } = await encoder.encodeAudio(path, {
    audio: audio[0]!,
    rendition: "a",
    bitrateBps: 128_000,
    segmentSeconds: { num: 4, den: 1 },
    durationMs: SECONDS * 1000,
    loudness: TARGET,
  });
  const pieces = ["init.mp4", ...result.rendition.segments.map((_, n) => `${n}.m4s`)];
  const file = join(folder, "levelled.mp4");
  await writeFile(file, Buffer.concat(pieces.map((name) => desk.objects.get(`a/${name}`)!)));
  const { stderr } = await run("ffmpeg", ["-nostdin", "-i", file, "-af", "ebur128=peak=true", "-f", "null", "-"]);
  const summary = stderr.slice(stderr.lastIndexOf("Summary:"));
  const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1]);
  return { result, measured: { lufs: number(/I:\s+(-?[\d.]+) LUFS/), peakDb: number(/Peak:\s+(-?[\d.]+) dBFS/) } };
}

/** Harmonics that swell like syllables, of a level. */
const speech = (level: number) => {
  const harmonics = [180, 360, 540, 900, 1800, 2700].map((hz, n) => `sin(2*PI*${hz}*t)/${n + 1}`).join("+");
  return `${level}*(${harmonics})*(0.2+0.8*abs(sin(2*PI*1.7*t)))`;
};

test.each([
  ["quiet", speech(0.02)],
  ["loud", speech(0.6)],
  ["quiet, with peaks that are far louder", `${speech(0.06)}*(1+6*lt(mod(t,2),0.01))`],
])("sound that is %s becomes -16 LUFS, with peaks of at most -1 dBTP", async (_, expression) => {
  const { result, measured } = await levelled(await generated(expression));
  expect(Math.abs(measured.lufs + 16)).toBeLessThan(0.5);
  expect(measured.peakDb).toBeLessThanOrEqual(-1);
  const { source, gainDb, result: after } = result.loudness!;
  expect(source.integratedLufs + gainDb).toBeGreaterThan(-16.1); // more, where the limiter takes some away
  expect(source.integratedLufs + gainDb).toBeLessThan(-14);
  expect(after.integratedLufs).toBeCloseTo(measured.lufs, 0);
});

test("silence, and sound that is loud enough already, stay as they are", async () => {
  const silent = await levelled(await generated("0"));
  expect(silent.result.loudness).toMatchObject({ gainDb: 0, source: { integratedLufs: -70 } });
  const tone = await levelled(await generated("0.224*sin(2*PI*1000*t)"));
  expect(Math.abs(tone.result.loudness!.gainDb)).toBeLessThan(0.3);
});
