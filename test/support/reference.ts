/** An independent reference: Debian's ffmpeg decodes the source. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { madeFacts } from "./made.ts";

const run = promisify(execFile);
const MAX_BYTES = 1 << 30;

/** Every luma picture of a source after a filter. */
export async function referencePictures(
  path: string,
  filter: string,
  widthPx: number,
  heightPx: number,
): Promise<Buffer[]> {
  const args = [
    "-v",
    "error",
    "-i",
    path,
    "-map",
    "0:v:0",
    "-vf",
    `${filter},scale=${widthPx}:${heightPx}:flags=bicubic,format=yuv420p,extractplanes=y`,
    "-vsync",
    "passthrough",
    "-f",
    "rawvideo",
    "-",
  ];
  const { stdout } = await run("ffmpeg", args, { encoding: "buffer", maxBuffer: MAX_BYTES });
  const size = widthPx * heightPx;
  return Array.from({ length: Math.floor(stdout.length / size) }, (_, i) => stdout.subarray(i * size, (i + 1) * size));
}

/** Times of a source's pictures in display order, in seconds of its own clock; derived from the frame rate where a container has none (AVI). */
export async function referenceTimes(path: string, rate: { num: number; den: number }): Promise<number[]> {
  const entries = ["-show_entries", "frame=best_effort_timestamp_time", "-of", "csv=p=0"];
  const facts = await madeFacts(["-select_streams", "v:0", ...entries, path]);
  const times = facts
    .trim()
    .split(/\n+/)
    .map((line) => Number.parseFloat(line));
  return times.some(Number.isNaN) ? times.map((_, i) => (i * rate.den) / rate.num) : times;
}
