/**
 * Sources of every kind, made from the two real clips by Debian's `ffmpeg` and cached under `test/.media/`.
 * `node test/support/sources.ts` makes them all.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { args, FLOWER, x264 } from "./ffmpeg-words.ts";
import { boxBomb, claim, claimLength, hugeAvi, loopingMatroska, manyTracks, noise } from "./hostile-media.ts";
import { RECIPES, type Source } from "./recipes.ts";

const run = promisify(execFile);
const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const CACHE = folder("../.media/");
const DERIVED = {
  "size-change": {
    description: "MPEG-TS whose picture changes its size midway",
    extension: "ts",
    bytes: () => joined("ts", "ts-larger"),
  },
  "shape-change": {
    description: "MPEG-TS whose picture is upright, and then has wide pixels",
    extension: "ts",
    bytes: () => joined("ts", "ts-tall", "ts-wide-pixels"),
  },
  "ts-restart": {
    description: "MPEG-TS of two recordings: the clock restarts",
    extension: "ts",
    bytes: () => joined("ts", "ts"),
  },
  "ts-jump": {
    description: "MPEG-TS of two recordings: the clock jumps ahead",
    extension: "ts",
    bytes: () => joined("ts", "ts-late"),
  },
  "sound-change": {
    description: "MPEG-TS whose sound changes its channels, and then its rate",
    extension: "ts",
    bytes: () => joined("ac3-stereo", "ac3-surround", "ac3-slow", "ac3-stereo"),
  },
  mirrored: {
    description: "MP4 of a camera on the front of a phone: mirrored by its matrix",
    extension: "mp4",
    bytes: () => cut("no-audio", 1).then((file) => withMatrix(file, [-1, 0, 0, 1])),
  },
  "mirrored-on-its-side": {
    description: "MP4 whose matrix mirrors and turns its picture",
    extension: "mp4",
    bytes: () => cut("no-audio", 1).then((file) => withMatrix(file, [0, -1, -1, 0])),
  },
  "edit-list-end": {
    description: "MP4 whose edit list ends inside of a GOP, after 2.5 s",
    extension: "mp4",
    bytes: () => cut("mp4-fast-start", 1).then((file) => withEditLength(file, 2500)),
  },
  "long-header": {
    description: "Matroska of five seconds whose header says 277 hours",
    extension: "mkv",
    bytes: () => cut("mkv", 1).then((file) => claimLength(file, 277 * 3600_000)),
  },
  "truncated-mp4": {
    description: "MP4, moov first, the last 40 % missing",
    extension: "mp4",
    bytes: () => cut("mp4-fast-start", 0.6),
  },
  "truncated-mkv": { description: "Matroska, the last 40 % missing", extension: "mkv", bytes: () => cut("mkv", 0.6) },
  "truncated-ts": { description: "MPEG-TS, the last 40 % missing", extension: "ts", bytes: () => cut("ts", 0.6) },
} satisfies Record<string, Source>;

const BAD = {
  html: {
    description: "an HTML page",
    extension: "mp4",
    bytes: async () =>
      Buffer.from(
        `<!doctype html><html><head><title>Not found</title></head><body>${"<p>nothing here</p>".repeat(200)}</body></html>`,
      ),
  },
  text: {
    description: "plain text",
    extension: "mp4",
    bytes: async () => Buffer.from("All work and no play makes Jack a dull boy.\n".repeat(500)),
  },
  srt: {
    description: "subtitles, which libav reads as media",
    extension: "mp4",
    bytes: async () => Buffer.from("1\n00:00:01,000 --> 00:00:02,000\nHello\n\n".repeat(50)),
  },
  playlist: {
    description: "an HLS playlist that names a local file",
    extension: "mp4",
    bytes: async () =>
      Buffer.from("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"),
  },
  zip: {
    description: "a zip",
    extension: "mp4",
    bytes: async () => Buffer.concat([Buffer.from("PK\u0003\u0004\u0014\0\0\0\u0008\0", "latin1"), noise(20_000)]),
  },
  noise: { description: "random bytes", extension: "mp4", bytes: async () => noise(300_000) },
  empty: { description: "no bytes at all", extension: "mp4", bytes: async () => Buffer.alloc(0) },
  realmedia: {
    description: "RealMedia",
    extension: "rm",
    ffmpeg: args`-i ${FLOWER} -frames:v 3 -an -vf scale=64:64 -c:v rv10 -f rm`,
  },
  "encrypted-mp4": {
    description: "MP4 with Common Encryption (cenc)",
    extension: "mp4",
    ffmpeg: args`-i ${FLOWER} -frames:v 50 -c:v libx264 -c:a aac -encryption_scheme cenc-aes-ctr -encryption_key ${"0f".repeat(16)} -encryption_kid ${"1e".repeat(16)}`,
  },
  image: { description: "a JPEG", extension: "jpg", ffmpeg: args`-i ${FLOWER} -frames:v 1 -f image2` },
  "no-index": {
    description: "MP4 cut off before its moov",
    extension: "mp4",
    bytes: () => cut("mp4-index-at-end", 0.6),
  },
  "box-bomb": { description: "200,000 boxes inside each other", extension: "mp4", bytes: async () => boxBomb(200_000) },
  "huge-table": {
    description: "MP4 whose sample table claims 2^32 - 1 entries",
    extension: "mp4",
    bytes: () => cut("mp4-fast-start", 1).then((file) => claim(file, "stsz", 8, 0xffff_ffff)),
  },
  "huge-dimensions": {
    description: "AVI of 2^31 - 1 pixels each way",
    extension: "avi",
    bytes: () => cut("raw-avi", 1).then((file) => hugeAvi(file, 0x7fff_ffff)),
  },
  "larger-than-8k": {
    description: "AVI that says 8448×8448",
    extension: "avi",
    bytes: () => cut("raw-avi", 1).then((file) => hugeAvi(file, 8_448)),
  },
  "thousands-of-tracks": {
    description: "MP4 with 5,000 tracks",
    extension: "mp4",
    bytes: () => cut("mp4-fast-start", 1).then((file) => manyTracks(file, 5_000)),
  },
  "too-long": {
    description: "MP4 of 13 hours by its own account",
    extension: "mp4",
    ffmpeg: args`-f lavfi -i color=size=32x32:rate=1:duration=2 -vf setpts=PTS*46800 -vsync vfr ${x264()} -video_track_timescale 1000`,
  },
  loop: {
    description: "Matroska whose seek index points back into itself",
    extension: "mkv",
    bytes: () => cut("mkv", 1).then(loopingMatroska),
  },
} satisfies Record<string, Source>;

/** Every source by name, with what it is. */
export const SOURCES: Record<SourceName, Source> = { ...RECIPES, ...DERIVED, ...BAD };
export type SourceName = keyof typeof RECIPES | keyof typeof DERIVED | keyof typeof BAD;

/** @returns the path of the source, made at first use; safe to call from several processes */
export const makeSource = (name: SourceName): Promise<string> => fileOf(name);

async function fileOf(name: string): Promise<string> {
  const source = (SOURCES as Record<string, Source>)[name];
  if (source === undefined) throw new Error(`no source is called ${name}`);
  // The name contains a hash of the recipe, so that a changed one is made again.
  const recipe = createHash("sha256")
    .update(JSON.stringify([source.ffmpeg ?? String(source.bytes), source.extension]))
    .digest("hex")
    .slice(0, 8);
  const path = join(CACHE, `${name}-${recipe}.${source.extension}`);
  if (
    await stat(path).then(
      () => true,
      () => false,
    )
  )
    return path;
  await mkdir(CACHE, { recursive: true });
  const unfinished = join(CACHE, `${randomUUID()}-${basename(path)}`); // tests of a process may make the same one at the same time
  if (source.bytes !== undefined) await writeFile(unfinished, await source.bytes());
  else
    await run("ffmpeg", [
      "-y",
      "-v",
      "error",
      "-nostdin",
      "-fflags",
      "+bitexact",
      ...(source.ffmpeg ?? []),
      unfinished,
    ]);
  await rename(unfinished, path);
  return path;
}

/** The first part of another source. */
async function cut(name: string, fraction: number): Promise<Buffer> {
  const whole = await readFile(await fileOf(name));
  return whole.subarray(0, Math.floor(whole.length * fraction));
}

/** Replaces the upper left 2 × 2 of the first track's matrix. */
function withMatrix(file: Buffer, [a, b, c, d]: [number, number, number, number]): Buffer {
  const matrixAt = file.indexOf("tkhd", 0, "latin1") + 44;
  for (const [at, value] of [a, b, 0, c, d].entries()) file.writeInt32BE(value * 0x10000, matrixAt + at * 4);
  return file;
}

/** Shortens the edit of every track, in units of the movie's timescale. */
function withEditLength(file: Buffer, length: number): Buffer {
  for (let at = file.indexOf("elst", 0, "latin1"); at >= 0; at = file.indexOf("elst", at + 4, "latin1"))
    file.writeUInt32BE(length, at + 12);
  return file;
}

async function joined(...names: string[]): Promise<Buffer> {
  return Buffer.concat(await Promise.all(names.map((name) => cut(name, 1))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(SOURCES) as SourceName[]) process.stdout.write(`${name}\t${await makeSource(name)}\n`);
}
