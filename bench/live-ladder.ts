/** CPU of a live broadcast's child per second of source, compared with one ffmpeg command that makes the same ladder as plain HLS. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LIBAV_ENVIRONMENT } from "../encoder/platform/media-process.ts";
import { planLiveLadder } from "../encoder/live/ladder-plan.ts";
import { planLiveGrid } from "../encoder/live/live-grid.ts";
import { liveEncoderOptions, threadsFor } from "../encoder/live/live-rung.ts";
import type { BroadcastPlan } from "../encoder/live/output.ts";
import { type Figure, median } from "./support/figures.ts";
import { ffmpeg, timed } from "./support/plain-encode.ts";
import { fullHdBroadcast } from "./support/sources.ts";

const VARIABLES = Object.entries(LIBAV_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 2);
const SECONDS = 20;
const WORK = "test/.media/bench/live-ladder";
const SETTINGS: BroadcastPlan["settings"] = { maxResolution: "1080p", partTargetMs: 500, segmentMs: 2000 };
const GRID = planLiveGrid(30, [], SETTINGS);
const RUNGS = planLiveLadder({ widthPx: 1920, heightPx: 1080 }, GRID.frameRate, SETTINGS.maxResolution);
const PLAIN = { codec: null, isFirstShort: false };
const PROGRAM = "bench/support/live-encode.ts";

async function encode(path: string, how: "encode" | "copy"): Promise<number> {
  const { cpuMs } = await timed("env", [...VARIABLES, process.execPath, PROGRAM, path, how]);
  return cpuMs;
}

/** The same rungs, presets, settings and threads. */
function hlsCommand(path: string): string[] {
  const scales = RUNGS.map(({ widthPx, heightPx }, i) => `[v${i}]scale=${widthPx}:${heightPx}:flags=bicubic[o${i}]`);
  const split = `[0:v]split=${RUNGS.length}${RUNGS.map((_, i) => `[v${i}]`).join("")}`;
  const hls = (name: string) => [
    ...`-f hls -hls_time 2 -hls_segment_type fmp4 -hls_fmp4_init_filename ${name}.mp4`.split(" "),
    join(WORK, `${name}.m3u8`),
  ];
  const pictures = RUNGS.flatMap((rung, i) => {
    const options = Object.entries(liveEncoderOptions(rung, GRID, PLAIN)).flatMap(([key, value]) => [
      `-${key}`,
      String(value),
    ]);
    return ["-map", `[o${i}]`, "-c:v", "libx264", "-threads", String(threadsFor(rung)), ...options, ...hls(rung.name)];
  });
  const sound = ["-map", "0:a:0", "-c:a", "aac", "-b:a", "128k", ...hls("a1")];
  return ["-v", "error", "-y", "-i", path, "-filter_complex", [split, ...scales].join(";"), ...pictures, ...sound];
}

interface Round {
  encodedMs: number;
  copiedMs: number;
  commandMs: number;
}

export async function run(): Promise<Figure[]> {
  const path = fullHdBroadcast(SECONDS);
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    await mkdir(WORK, { recursive: true });
    const round: Round = { encodedMs: 0, copiedMs: 0, commandMs: 0 };
    const turns = [
      async () => void (round.encodedMs = await encode(path, "encode")),
      async () => void (round.commandMs = (await ffmpeg(hlsCommand(path))).cpuMs),
      async () => void (round.copiedMs = await encode(path, "copy")),
    ];
    for (const turn of i % 2 === 1 ? turns.toReversed() : turns) await turn(); // cancels out a machine that warms up
    console.error(`  round ${i + 1} of ${ROUNDS}: ${JSON.stringify(round)}`);
    rounds.push(round);
    await rm(WORK, { recursive: true, force: true });
  }
  const perSecond = (of: keyof Round) => `${(median(rounds.map((round) => round[of])) / 1000 / SECONDS).toFixed(2)} s`;
  const figure = (name: string, of: keyof Round, aim: string, limit: number | null): Figure => {
    const ratio = median(rounds.map((round) => round[of] / round.commandMs));
    return {
      name,
      value: `${ratio.toFixed(2)} ×`,
      yardstick: `${perSecond(of)} for each second of source, against ${perSecond("commandMs")} of ffmpeg`,
      aim,
      isMet: limit === null ? null : ratio <= limit,
      raw: rounds,
    };
  };
  return [
    figure("CPU, every rung encoded", "encodedMs", "≤ 1.15 × the command", 1.15),
    figure("CPU, the source as the top rung", "copiedMs", "", null),
  ];
}
