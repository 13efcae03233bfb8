/** Wall time and CPU of the whole ladder: in chunks, in one pass, and as yardstick with one ffmpeg command. */
import { mkdir, rm } from "node:fs/promises";
import type { SourceFacts } from "../protocol/source-facts.ts";
import { type EncodingPlan, planEncoding } from "../src/library/encoding/plan.ts";
import { TestEncoder } from "../test/support/encoder.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import { ffmpeg, ladderCommand, type Run } from "./support/plain-encode.ts";
import { fullHdMinute } from "./support/sources.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 2);
const WORK = "test/.media/bench/ladder";

/** The same work in three ways. */
type Round = Record<"chunked" | "onePass" | "command", Run>;
const NAMES: Record<keyof Round, string> = { chunked: "in chunks", onePass: "in one pass", command: "by ffmpeg" };

export async function planFor(
  encoder: TestEncoder,
  path: string,
): Promise<{ facts: SourceFacts; plan: EncodingPlan; video: NonNullable<EncodingPlan["video"]> }> {
  const facts = await encoder.probe(path);
  const request = { maxResolution: "1080p", mediaQuality: "standard", isAwaited: false, skipTopRung: false } as const;
  const plan = planEncoding(facts, request);
  if (plan.video === null) throw new Error("the source has no picture");
  return { facts, plan, video: plan.video };
}

/** Every job of a plan on one machine: chunks one after another, sound concurrently. */
async function encode(
  encoder: TestEncoder,
  path: string,
  plan: EncodingPlan,
  chunks: NonNullable<EncodingPlan["video"]>["chunks"],
): Promise<Run> {
  const { video } = plan;
  if (video === null) throw new Error("no picture");
  const startedAt = performance.now();
  let cpuMs = 0;
  // The encoder encodes sound and picture concurrently, as ffmpeg does.
  const sounds = Promise.all(
    plan.audio.map(async (planned) => {
      const wanted = { ...planned, segmentSeconds: plan.audioSegmentSeconds, durationMs: plan.durationMs };
      const { result } = await encoder.encodeAudio(path, wanted);
      cpuMs += result.cpuMs;
    }),
  );
  for (const chunk of chunks) {
    const { result } = await encoder.encodeVideo(path, {
      video: video.source,
      grid: video.grid,
      rungs: video.rungs,
      ...chunk,
    });
    cpuMs += result.cpuMs;
  }
  await sounds;
  return { wallMs: performance.now() - startedAt, cpuMs };
}

export async function run(): Promise<Figure[]> {
  const path = fullHdMinute();
  const encoder = await TestEncoder.start();
  const rounds: Round[] = [];
  try {
    const { plan, video } = await planFor(encoder, path);
    const whole = [{ firstFrame: 0, frameCount: video.frameCount, firstSegment: 0 }];
    for (let round = 0; round < ROUNDS; round += 1) {
      await mkdir(WORK, { recursive: true });
      const ways: [keyof Round, () => Promise<Run>][] = [
        ["chunked", () => encode(encoder, path, plan, video.chunks)],
        ["command", () => ffmpeg(ladderCommand(path, video.rungs, video.grid.framesPerGop, WORK))],
        ["onePass", () => encode(encoder, path, plan, whole)],
      ];
      if (round % 2 === 1) ways.reverse(); // cancels out a machine that slows down or warms up
      const measured: Partial<Round> = {};
      for (const [name, way] of ways) {
        measured[name] = await way();
        console.error(`  round ${round + 1} of ${ROUNDS}, ${NAMES[name]}: ${milliseconds(measured[name].wallMs)}`);
      }
      rounds.push(measured as Round);
      await rm(WORK, { recursive: true, force: true });
    }
  } finally {
    await encoder.stop();
  }
  const ratio = (one: keyof Round, other: keyof Round, of: keyof Run) =>
    median(rounds.map((round) => round[one][of] / round[other][of]));
  const wall = (name: keyof Round) => milliseconds(median(rounds.map((round) => round[name].wallMs)));
  const cpu = (name: keyof Round) => milliseconds(median(rounds.map((round) => round[name].cpuMs)));
  const figure = (name: string, value: number, yardstick: string, aim: string, limit: number | null): Figure => ({
    name,
    value: `${value.toFixed(2)} ×`,
    yardstick,
    aim,
    isMet: limit === null ? null : value <= limit,
    raw: rounds,
  });
  return [
    figure(
      "wall time, in chunks",
      ratio("chunked", "command", "wallMs"),
      `${wall("chunked")} against ${wall("command")} of ffmpeg`,
      "≤ 1.10 × the command",
      1.1,
    ),
    figure(
      "CPU, in chunks",
      ratio("chunked", "command", "cpuMs"),
      `${cpu("chunked")} against ${cpu("command")} of ffmpeg`,
      "",
      null,
    ),
    figure(
      "wall time, chunks against one pass",
      ratio("chunked", "onePass", "wallMs"),
      `${wall("chunked")} against ${wall("onePass")}`,
      "≤ 1.08 ×",
      1.08,
    ),
    figure(
      "wall time, one pass",
      ratio("onePass", "command", "wallMs"),
      `${wall("onePass")} against ${wall("command")} of ffmpeg`,
      "",
      null,
    ),
  ];
}
