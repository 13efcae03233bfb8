/** ffmpeg arguments, and the two source clips. */
import { fileURLToPath } from "node:url";

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
export const FRIDAY = folder("../fixtures/friday.mp4"); // 640×480, 30 fps, 6.17 s, AAC 44.1 kHz mono, audible
export const FLOWER = folder("../fixtures/flower.mp4"); // 960×540, 30000/1001 fps, 5 s, AAC 48 kHz stereo

export const SMALL = "scale=320:240";
export const x264 = (...more: string[]) => [
  "-c:v",
  "libx264",
  "-preset",
  "veryfast",
  "-crf",
  "18",
  "-threads",
  "1",
  ...more,
];
export const AAC = ["-c:a", "aac", "-b:a", "128k"];
export const QUIET_X265 = (params: string) => [
  "-c:v",
  "libx265",
  "-preset",
  "ultrafast",
  "-crf",
  "20",
  "-x265-params",
  `log-level=none:pools=1:${params}`,
];

/** Splits a command line into arguments. Inserted strings stay whole, and inserted lists become separate arguments. */
export function args(literals: TemplateStringsArray, ...values: (string | string[])[]): string[] {
  const words = literals.raw
    .map((literal, i) => (i < values.length ? `${literal}\0${i}\0` : literal))
    .join("")
    .split(/\s+/)
    .filter(Boolean);
  return words.flatMap((word) => {
    const whole = /^\0(\d+)\0$/.exec(word);
    const value = whole === null ? undefined : values[Number(whole[1])];
    return value ?? word.replace(/\0(\d+)\0/g, (_, i: string) => String(values[Number(i)]));
  });
}
