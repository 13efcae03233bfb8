/** Pictures for moderation: how fast a film is looked through, its memory, and what the encoder's classifier says of harmless films. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { PicturesPurpose, PicturesResult } from "../protocol/pictures.ts";
import { TestEncoder } from "../test/support/encoder.ts";
import { descendantsOf } from "../test/support/processes.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import { drawnFilm, smallRendition } from "./support/sources.ts";

const LONG_HOURS = Number(process.env.BENCH_PICTURE_HOURS ?? 3);
const HOUR_SECONDS = 3600;
const MIB = 2 ** 20;
/** The most that the scores of harmless pictures may be: no service should act on a picture below it. */
const SUSPICION = 0.7;

interface Look {
  result: PicturesResult;
  tookMs: number;
  peakBytes: number;
  largestSheetBytes: number;
}

async function look(encoder: TestEncoder, path: string, purpose: PicturesPurpose): Promise<Look> {
  const startedMs = performance.now();
  const ended = new AbortController();
  let peakBytes = 0;
  const sampler = async () => {
    while (!ended.signal.aborted) {
      for (const pid of descendantsOf(encoder.process.pid!)) peakBytes = Math.max(peakBytes, residentBytes(pid));
      await pause(50);
    }
  };
  const sampled = sampler();
  const job = { kind: "pictures", rendition: "pictures", purpose, expiresAt: Date.now() + 24 * 3_600_000 } as const;
  const { ending, desk } = await encoder.run(path, job).finally(() => ended.abort());
  await sampled;
  if ("failure" in ending) throw new Error(`the job failed: ${ending.failure.message}`);
  const largestSheetBytes = Math.max(0, ...[...desk.objects.values()].map(({ length }) => length));
  const result = ending.result as PicturesResult;
  return { result, tookMs: performance.now() - startedMs, peakBytes, largestSheetBytes };
}

function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has ended
  }
}

const mebibytes = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
const twoDigits = (score: number) => score.toFixed(2);

async function measureFilms(encoder: TestEncoder): Promise<Figure[]> {
  const hour = await look(encoder, smallRendition(HOUR_SECONDS), "sheets");
  const long = await look(encoder, smallRendition(LONG_HOURS * HOUR_SECONDS), "sheets");
  const judged = await look(encoder, smallRendition(600), "scores");
  const raw = { hour, long, judged };
  const speed = (LONG_HOURS * HOUR_SECONDS * 1000) / long.tookMs;
  const perSecond = (1000 * judged.result.pictures.length) / judged.result.judgeMs;
  return [
    {
      name: `looking through ${LONG_HOURS} h for sheets`,
      value: `${Math.round(speed)} × real time`,
      yardstick: `12 h in ${milliseconds((12 * HOUR_SECONDS * 1000) / speed)}`,
      aim: "≥ 36 ×, 12 h in 20 min",
      isMet: speed >= 36,
      raw,
    },
    {
      name: "memory of the child",
      value: `at most ${mebibytes(long.peakBytes)}`,
      yardstick: `of 1 h: ${mebibytes(hour.peakBytes)}; judging: ${mebibytes(judged.peakBytes)}`,
      aim: "≤ 1.2 × of 1 h",
      isMet: long.peakBytes <= 1.2 * hour.peakBytes,
      raw: null,
    },
    {
      name: "pictures judged a second",
      value: perSecond.toFixed(1),
      yardstick: `9000 of 12 h in ${milliseconds((9000 * 1000) / perSecond)}`,
      aim: "",
      isMet: null,
      raw: null,
    },
    {
      name: "the largest sheet",
      value: `${Math.round(long.largestSheetBytes / 1000)} kB`,
      yardstick: `${long.result.pictures.length} pictures`,
      aim: "≤ 300 kB",
      isMet: long.largestSheetBytes <= 300_000,
      raw: null,
    },
  ];
}

/** Everything in these films is harmless, so they tell of false alarms alone. */
async function measureScores(encoder: TestEncoder): Promise<Figure[]> {
  const films = [
    ["a man who speaks to the camera (friday.mp4)", "test/fixtures/friday.mp4"],
    ["a flower from near by (flower.mp4)", "test/fixtures/flower.mp4"],
    ["drawn test pictures", drawnFilm("testsrc2", 12)],
    ["bars of colour", drawnFilm("smptebars", 12)],
    ["a fractal", drawnFilm("mandelbrot", 12)],
    ["skin colour alone", drawnFilm("color=0xd8a48a", 12)],
    ["noise", drawnFilm("color=gray", 12, "noise=alls=100:allf=t")],
    ["black", drawnFilm("color=black", 12)],
    ...(process.env.BENCH_FILM === undefined ? [] : [["the film of BENCH_FILM", process.env.BENCH_FILM] as const]),
  ] as const;
  const figures: Figure[] = [];
  for (const [name, path] of films) {
    const { result } = await look(encoder, path, "scores");
    const scores = result.pictures.map(([, score]) => score ?? Number.NaN);
    const suspected = scores.filter((score) => score >= SUSPICION).length;
    figures.push({
      name: `score of ${name}`,
      value: `at most ${twoDigits(Math.max(...scores))}`,
      yardstick: `median ${twoDigits(median(scores))}, ${suspected} of ${scores.length} pictures ≥ ${SUSPICION}`,
      aim: path === process.env.BENCH_FILM ? "" : `< ${SUSPICION}`,
      isMet: path === process.env.BENCH_FILM ? null : suspected === 0,
      raw: scores,
    });
  }
  return figures;
}

export async function run(): Promise<Figure[]> {
  const encoder = await TestEncoder.start();
  try {
    return [...(await measureScores(encoder)), ...(await measureFilms(encoder))];
  } finally {
    await encoder.stop();
  }
}
