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
  const labels = rungs.map((_, index) => `[v${index}]`).join("");
  const scales = rungs.map(
    ({ widthPx, heightPx }, index) => `[v${index}]scale=${widthPx}:${heightPx}:flags=bicubic,format=yuv420p[o${index}]`,
  );
  const movflags = ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"];
  const outputs = rungs.flatMap(({ name, crf, maxBitrateBps, preset }, index) => [
    "-map",
    `[o${index}]`,
    "-c:v",
    "libx264",
    "-preset",
    preset,
    "-profile:v",
    "high",
    "-crf",
    String(crf),
    "-maxrate",
    String(maxBitrateBps),
    "-bufsize",
    String(maxBitrateBps * 2),
    "-g",
    String(framesPerGop),
    "-keyint_min",
    String(framesPerGop),
    "-sc_threshold",
    "0",
    ...movflags,
    join(folder, `${name}.mp4`),
  ]);
  const sound = [
    "-map",
    "0:a:0?",
    "-c:a",
    "aac",
    "-b:a",
    "128k",
    "-ac",
    "2",
    "-ar",
    "48000",
    ...movflags,
    join(folder, "a1.mp4"),
  ];
  return [
    "-v",
    "error",
    "-y",
    "-i",
    source,
    "-filter_complex",
    `[0:v]split=${rungs.length}${labels};${scales.join(";")}`,
    ...outputs,
    ...sound,
  ];
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
