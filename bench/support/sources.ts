import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

const FFMPEG = process.env.FFMPEG ?? "ffmpeg";
/** Cached: the hour is 300 MB. */
const FOLDER = "test/.media/bench";

/** Makes a file with ffmpeg unless it exists. */
function make(name: string, args: string[]): string {
  const path = join(FOLDER, name);
  if (existsSync(path)) return path;
  mkdirSync(FOLDER, { recursive: true });
  const part = join(FOLDER, `part-${name}`);
  execFileSync(FFMPEG, ["-v", "error", "-y", ...args, part], { stdio: "inherit" });
  renameSync(part, path);
  return path;
}

const FLOWER = "test/fixtures/flower.mp4";
const FRIDAY = "test/fixtures/friday.mp4";
const loop = (path: string, seconds: number) => [
  "-stream_loop",
  String(Math.ceil(seconds / 5)),
  "-i",
  path,
  "-t",
  String(seconds),
];

/** A standard source of any length, by stream copy of a real clip. */
export const standardSource = (seconds: number) =>
  make(`standard-${seconds}.mp4`, [...loop(FRIDAY, seconds), "-c", "copy", "-movflags", "+faststart"]);

/** The film clip named by BENCH_FILM, else a minute of the flower, as VP8 and Vorbis. */
export const webmSource = () =>
  process.env.BENCH_FILM ??
  make("minute.webm", [
    ...loop(FLOWER, 70),
    "-vf",
    "scale=800:-2",
    "-c:v",
    "libvpx",
    "-b:v",
    "1M",
    "-deadline",
    "realtime",
    "-cpu-used",
    "8",
    "-c:a",
    "libvorbis",
  ]);

export const hevcSource = () => {
  const source = ["-i", webmSource()];
  return make("film-hevc.ts", [
    ...source,
    "-c:v",
    "libx265",
    "-preset",
    "ultrafast",
    "-x265-params",
    "log-level=error",
    "-c:a",
    "aac",
    "-f",
    "mpegts",
  ]);
};

/** A minute of 1080p with motion and detail; BENCH_SECONDS makes it shorter or longer. */
export const fullHdMinute = () => {
  const seconds = Number(process.env.BENCH_SECONDS ?? 60);
  return make(seconds === 60 ? "minute-1080p.mp4" : `${seconds}-seconds-1080p.mp4`, [
    ...loop(FLOWER, seconds),
    "-vf",
    "scale=1920:1080,setsar=1",
    "-c:v",
    "libx264",
    "-preset",
    "fast",
    "-crf",
    "20",
    "-c:a",
    "aac",
  ]);
};

/** A broadcast: FLV at 30 frames per second, a key frame every 2 s, no B-frames. */
const asBroadcast = (name: string, seconds: number, widthPx: number, heightPx: number, bitrate: string) =>
  make(`${name}-${seconds}.flv`, [
    ...loop(FLOWER, seconds),
    "-vf",
    `scale=${widthPx}:${heightPx},setsar=1,fps=30`,
    ..."-c:v libx264 -preset veryfast -bf 0 -g 60 -sc_threshold 0 -c:a aac -ar 48000".split(" "),
    ...`-b:v ${bitrate} -maxrate ${bitrate} -bufsize ${bitrate}`.split(" "),
  ]);
export const fullHdBroadcast = (seconds: number) => asBroadcast("broadcast-1080p", seconds, 1920, 1080, "5M");
export const hdBroadcast = (seconds: number) => asBroadcast("broadcast-720p", seconds, 1280, 720, "2500k");

/** Ten minutes of a small picture, without sound, with the key frames of its encoder. */
export const smallTenMinutes = () =>
  make("small-ten-minutes.mp4", [
    ...loop(FLOWER, 600),
    ..."-an -vf scale=640:360,setsar=1 -r 30 -c:v libx264 -preset superfast -crf 26".split(" "),
  ]);

/** A film of 720p whose key frames are not on the ladder's grid, so that every rung of it is encoded. */
export const hdFilm = (seconds: number) =>
  make(`film-720p-${seconds}.mp4`, [
    ...loop(FLOWER, seconds),
    ..."-vf scale=1280:720,setsar=1 -r 30 -c:v libx264 -preset superfast -g 50 -crf 24 -c:a aac".split(" "),
  ]);

/** Sound of four seconds and a pause of one, again and again: an hour, looped. */
export function burstsOfSound(seconds: number): string {
  const tone = "aevalsrc='0.4*sin(2*PI*300*t)*lt(mod(t,5),4)':s=16000";
  const aac = ["-c:a", "aac", "-b:a", "32k"];
  if (seconds <= 3600) return make(`bursts-${seconds}.m4a`, ["-f", "lavfi", "-i", tone, "-t", String(seconds), ...aac]);
  const hour = burstsOfSound(3600);
  const times = String(Math.ceil(seconds / 3600) - 1);
  return make(`bursts-${seconds}.m4a`, ["-stream_loop", times, "-i", hour, "-t", String(seconds), "-c", "copy"]);
}

const SMALL_RUNG =
  "-an -c:v libx264 -preset veryfast -crf 26 -g 50 -sc_threshold 0 -bf 3 -pix_fmt yuv420p -movflags cmaf+frag_keyframe+empty_moov+default_base_moof".split(
    " ",
  );

/** Ten seconds of two real clips as the smallest rung of a ladder, again and again, by stream copy. */
export function smallRendition(seconds: number): string {
  const clips = [FRIDAY, FLOWER].flatMap((path) => ["-i", path]);
  const same = "scale=426:240,setsar=1,fps=25";
  const joined = `[0:v]${same}[a];[1:v]${same}[b];[a][b]concat=n=2:v=1`;
  const once = make("small-rung.mp4", [...clips, "-filter_complex", joined, ...SMALL_RUNG]);
  return make(`small-rung-${seconds}.mp4`, [
    ...loop(once, seconds),
    "-c",
    "copy",
    "-movflags",
    "frag_keyframe+empty_moov+default_base_moof",
  ]);
}

/** @param source of libavfilter, and filters behind it */
export const drawnFilm = (source: string, seconds: number, filters = "null") =>
  make(`drawn-${source.replaceAll(/\W/g, "-")}-${seconds}.mp4`, [
    "-f",
    "lavfi",
    "-i",
    `${source}${source.includes("=") ? ":" : "="}s=426x240:r=25,trim=duration=${seconds},${filters}`,
    ...SMALL_RUNG,
  ]);
