import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VideoRung } from "../../protocol/jobs.ts";

const FFMPEG = process.env.FFMPEG ?? "ffmpeg";

export interface Run {
  wallMs: number;
  /** User and system time of the process and its threads. */
  cpuMs: number;
}

/** One ffmpeg command: decodes once, encodes every rung and the sound into fragmented MP4. The yardstick of encoding. */
export function ladderCommand(source: string, rungs: VideoRung[], framesPerGop: number, folder: string): string[] {
  const filters = ladderFilters("[0:v]", rungs);
  const outputs = ladderOutputs(rungs, framesPerGop, "0:a:0?", folder);
  return ["-v", "error", "-y", "-i", source, "-filter_complex", filters, ...outputs];
}

/** The same for several sources in a row, fitted into the shape of the first rung, at one rate. The yardstick of joins. */
export function joinCommand(
  sources: string[],
  rungs: VideoRung[],
  { rate, framesPerGop }: { rate: number; framesPerGop: number },
  folder: string,
): string[] {
  const { widthPx, heightPx } = rungs[0]!;
  const size = `${widthPx}:${heightPx}`;
  const fitted = sources.map(
    (_, n) =>
      `[${n}:v]scale=${size}:flags=bicubic:force_original_aspect_ratio=decrease,pad=${size}:-1:-1,setsar=1,fps=${rate},format=yuv420p[f${n}]`,
  );
  const both = sources.map((_, n) => `[f${n}][${n}:a]`).join("");
  const joined = `${both}concat=n=${sources.length}:v=1:a=1[v][a]`;
  const filters = [...fitted, joined, ladderFilters("[v]", rungs)].join(";");
  const inputs = sources.flatMap((source) => ["-i", source]);
  return [
    "-v",
    "error",
    "-y",
    ...inputs,
    "-filter_complex",
    filters,
    ...ladderOutputs(rungs, framesPerGop, "[a]", folder),
  ];
}

function ladderFilters(input: string, rungs: VideoRung[]): string {
  const labels = rungs.map((_, index) => `[v${index}]`).join("");
  const scales = rungs.map(
    ({ widthPx, heightPx }, index) => `[v${index}]scale=${widthPx}:${heightPx}:flags=bicubic,format=yuv420p[o${index}]`,
  );
  return `${input}split=${rungs.length}${labels};${scales.join(";")}`;
}

function ladderOutputs(rungs: VideoRung[], framesPerGop: number, sound: string, folder: string): string[] {
  const movflags = ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"];
  const outputs = rungs.flatMap(({ name, crf, maxBitrateBps, preset }, index) => [
    ...`-map [o${index}] -c:v libx264 -preset ${preset} -profile:v high -crf ${crf}`.split(" "),
    ...`-maxrate ${maxBitrateBps} -bufsize ${maxBitrateBps * 2} -g ${framesPerGop} -keyint_min ${framesPerGop} -sc_threshold 0`.split(
      " ",
    ),
    ...movflags,
    join(folder, `${name}.mp4`),
  ]);
  const aac = ["-c:a", "aac", "-b:a", "128k", "-ac", "2", "-ar", "48000"];
  return [...outputs, "-map", sound, ...aac, ...movflags, join(folder, "a1.mp4")];
}

/** Runs a command and measures it with the kernel's own accounting. */
export async function timed(command: string, args: string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-time-"));
  const report = join(folder, "times");
  const startedAt = performance.now();
  // bash's `times` would miss threads of a child that has ended; `time` asks wait4 for them.
  const child = spawn(
    "bash",
    ["-c", `TIMEFORMAT='%U %S'; { time "$0" "$@" 2>&3; } 3>&2 2>${report}`, command, ...args],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const code = await new Promise<number | null>((done) => child.once("close", done));
  const wallMs = performance.now() - startedAt;
  const [user = 0, system = 0] = (await readFile(report, "utf8")).trim().split(/\s+/).map(Number);
  await rm(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return { wallMs, cpuMs: (user + system) * 1000 };
}

export const ffmpeg = (args: string[]) => timed(FFMPEG, args);
