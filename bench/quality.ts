/** PSNR and SSIM of every rung against the scaled source, overall and at chunk boundaries, compared with a single pass at the same settings. */
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { VideoRung } from "../protocol/jobs.ts";
import { TestEncoder } from "../test/support/encoder.ts";
import { planFor } from "./ladder.ts";
import { type Figure } from "./support/figures.ts";
import { ffmpeg, ladderCommand } from "./support/plain-encode.ts";
import { fullHdMinute } from "./support/sources.ts";

const FFMPEG = process.env.FFMPEG ?? "ffmpeg";
const WORK = "test/.media/bench/quality";
const BOUNDARY_FRAMES = 15;
const AIM_DB = 0.2;

interface Quality {
  psnrDb: number;
  ssim: number;
  /** Mean luma PSNR of the frames around each chunk boundary. */
  boundaryDb: number;
  bitrateBps: number;
}

/** Compares both with the source scaled in the same way, measured by ffmpeg. */
function judge(
  encoded: string,
  source: string,
  rung: VideoRung,
  boundaries: number[],
  seconds: number,
  bytes: number,
): Quality {
  const log = join(WORK, "psnr.log");
  const graph = `[1:v]scale=${rung.widthPx}:${rung.heightPx}:flags=bicubic,format=yuv420p,split[a][b];[0:v]split[c][d];[c][a]psnr=stats_file=${log};[d][b]ssim`;
  const text = execFileSync(
    "bash",
    ["-c", '"$0" "$@" 2>&1', FFMPEG, "-hide_banner", "-i", encoded, "-i", source, "-lavfi", graph, "-f", "null", "-"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    },
  );
  const lines = execFileSync("cat", [log], { encoding: "utf8", maxBuffer: 1 << 26 }).split("\n");
  const frames = lines
    .map((line) => Number(/psnr_y:([\d.]+|inf)/.exec(line)?.[1]?.replace("inf", "100")))
    .filter((value) => !Number.isNaN(value));
  const atBoundaries = boundaries.flatMap((boundary) =>
    frames.slice(boundary - BOUNDARY_FRAMES, boundary + BOUNDARY_FRAMES),
  );
  return {
    psnrDb: Number(/PSNR y:([\d.]+)/.exec(text)?.[1]),
    ssim: Number(/SSIM Y:([\d.]+)/.exec(text)?.[1]),
    boundaryDb: atBoundaries.reduce((sum, value) => sum + value, 0) / atBoundaries.length,
    bitrateBps: Math.round((bytes * 8) / seconds),
  };
}

export async function run(): Promise<Figure[]> {
  const source = fullHdMinute();
  await mkdir(WORK, { recursive: true });
  const encoder = await TestEncoder.start();
  try {
    const { video } = await planFor(encoder, source);
    // Chunks of three segments: many chunk boundaries in one minute.
    const step = 3 * video.grid.framesPerSegment;
    const boundaries: number[] = [];
    const objects = new Map<string, Buffer[]>();
    for (let frame = 0; frame < video.frameCount; frame += step) {
      if (frame > 0) boundaries.push(frame);
      const firstSegment = frame / video.grid.framesPerSegment;
      const frameCount = Math.min(step, video.frameCount - frame);
      const { result, desk } = await encoder.encodeVideo(source, {
        video: video.source,
        grid: video.grid,
        rungs: video.rungs,
        firstFrame: frame,
        frameCount,
        firstSegment,
      });
      for (const { name, segments } of result.renditions) {
        const parts = objects.get(name) ?? [desk.objects.get(`${name}/init.mp4`)!];
        segments.forEach((_, index) => parts.push(desk.objects.get(`${name}/${firstSegment + index}.m4s`)!));
        objects.set(name, parts);
      }
    }
    await ffmpeg(ladderCommand(source, video.rungs, video.grid.framesPerGop, WORK));
    const seconds = (video.frameCount * video.grid.frameRate.den) / video.grid.frameRate.num;
    const figures: Figure[] = [];
    for (const rung of video.rungs) {
      const ours = join(WORK, `ours-${rung.name}.mp4`);
      const bytes = Buffer.concat(objects.get(rung.name)!);
      await writeFile(ours, bytes);
      const plain = join(WORK, `${rung.name}.mp4`);
      const mine = judge(ours, source, rung, boundaries, seconds, bytes.length);
      const theirs = judge(
        plain,
        source,
        rung,
        boundaries,
        seconds,
        Number(execFileSync("stat", ["-c", "%s", plain], { encoding: "utf8" })),
      );
      const kbps = (value: number) => `${Math.round(value / 1000)} kbit/s`;
      figures.push({
        name: rung.name,
        value: `${mine.psnrDb.toFixed(2)} dB, SSIM ${mine.ssim.toFixed(4)}, boundaries ${mine.boundaryDb.toFixed(2)} dB, ${kbps(mine.bitrateBps)}`,
        yardstick: `single pass ${theirs.psnrDb.toFixed(2)} dB, SSIM ${theirs.ssim.toFixed(4)}, boundaries ${theirs.boundaryDb.toFixed(2)} dB, ${kbps(theirs.bitrateBps)}`,
        aim: "within 0.2 dB, also at chunk boundaries",
        isMet: mine.psnrDb >= theirs.psnrDb - AIM_DB && mine.boundaryDb >= theirs.boundaryDb - AIM_DB,
        raw: { mine, theirs },
      });
    }
    return figures;
  } finally {
    await encoder.stop();
    await rm(WORK, { recursive: true, force: true });
  }
}
