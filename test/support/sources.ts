/**
 * Sources of every kind, made from the two real clips by Debian's `ffmpeg` and kept under `test/.media/`.
 * `node test/support/sources.ts` makes them all.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const CACHE = folder("../.media/");
export const FRIDAY = folder("../fixtures/friday.mp4"); // 640×480, 30 fps, 6.17 s, AAC 44.1 kHz mono, audible
export const FLOWER = folder("../fixtures/flower.mp4"); // 960×540, 30000/1001 fps, 5 s, AAC 48 kHz stereo

interface Source {
  description: string;
  extension: string;
  /** Arguments of ffmpeg up to the name of the output. */
  ffmpeg?: string[];
  /** Made from another source's bytes, or from nothing. */
  bytes?: () => Promise<Buffer>;
}

const friday = (...more: string[]) => ["-i", FRIDAY, "-t", "3", ...more];
const flower = (...more: string[]) => ["-i", FLOWER, "-t", "3", ...more];
const SMALL = "scale=320:240";
const x264 = (...more: string[]) => ["-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-threads", "1", ...more];
const AAC = ["-c:a", "aac", "-b:a", "128k"];
const QUIET_X265 = (params: string) => [
  "-c:v",
  "libx265",
  "-preset",
  "ultrafast",
  "-crf",
  "20",
  "-x265-params",
  `log-level=none:pools=1:${params}`,
];

const MEDIA = {
  "mp4-index-at-end": { description: "MP4, moov behind mdat", extension: "mp4", ffmpeg: ["-i", FRIDAY, "-c", "copy"] },
  "mp4-fast-start": {
    description: "MP4, moov first",
    extension: "mp4",
    ffmpeg: ["-i", FRIDAY, "-c", "copy", "-movflags", "+faststart"],
  },
  "mp4-fragmented": {
    description: "MP4 in fragments, no duration in the moov",
    extension: "mp4",
    ffmpeg: ["-i", FRIDAY, "-c", "copy", "-movflags", "frag_keyframe+empty_moov"],
  },
  mov: {
    description: "QuickTime, H.264 and PCM",
    extension: "mov",
    ffmpeg: friday("-vf", SMALL, ...x264(), "-c:a", "pcm_s16le"),
  },
  mkv: {
    description: "Matroska, H.264 and AAC, times in milliseconds",
    extension: "mkv",
    ffmpeg: ["-i", FLOWER, "-c", "copy"],
  },
  "webm-vp8": {
    description: "WebM, VP8 and Vorbis",
    extension: "webm",
    ffmpeg: friday(
      "-vf",
      SMALL,
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
    ),
  },
  "webm-vp9": {
    description: "WebM, VP9 and Opus",
    extension: "webm",
    ffmpeg: flower(
      "-vf",
      "scale=320:180",
      "-c:v",
      "libvpx-vp9",
      "-b:v",
      "1M",
      "-deadline",
      "realtime",
      "-cpu-used",
      "8",
      "-c:a",
      "libopus",
    ),
  },
  "webm-live": {
    description: "WebM as a browser records it: no duration, no cues",
    extension: "webm",
    ffmpeg: friday(
      "-vf",
      SMALL,
      "-c:v",
      "libvpx",
      "-b:v",
      "1M",
      "-deadline",
      "realtime",
      "-cpu-used",
      "8",
      "-c:a",
      "libopus",
      "-f",
      "webm",
      "-live",
      "1",
    ),
  },
  ts: {
    description: "MPEG-TS, H.264 and AAC",
    extension: "ts",
    ffmpeg: friday("-vf", SMALL, ...x264("-g", "45"), ...AAC),
  },
  avi: {
    description: "AVI, MPEG-4 part 2 with B-frames and MP3",
    extension: "avi",
    ffmpeg: friday("-vf", SMALL, "-c:v", "mpeg4", "-bf", "2", "-q:v", "2", "-g", "30", "-c:a", "libmp3lame"),
  },
  flv: { description: "FLV, H.264 and AAC", extension: "flv", ffmpeg: friday("-vf", SMALL, ...x264(), ...AAC) },
  "hevc-8": {
    description: "HEVC 8 bit in MP4",
    extension: "mp4",
    ffmpeg: friday("-vf", SMALL, ...QUIET_X265("keyint=30"), "-tag:v", "hvc1", ...AAC),
  },
  "hevc-10": {
    description: "HEVC 10 bit in MPEG-TS",
    extension: "ts",
    ffmpeg: friday("-vf", SMALL, "-pix_fmt", "yuv420p10le", ...QUIET_X265("keyint=30"), ...AAC),
  },
  "hdr-pq": {
    description: "HEVC 10 bit, BT.2020 and PQ",
    extension: "mp4",
    ffmpeg: friday(
      "-vf",
      `${SMALL},setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc`,
      "-pix_fmt",
      "yuv420p10le",
      ...QUIET_X265("keyint=30:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"),
      "-tag:v",
      "hvc1",
      ...AAC,
    ),
  },
  rotated: {
    description: "turned by metadata: lies on its side in the file",
    extension: "mp4",
    ffmpeg: ["-i", FRIDAY, "-c", "copy", "-metadata:s:v", "rotate=90"],
  },
  "odd-size": {
    description: "VP8, 321×181",
    extension: "webm",
    ffmpeg: flower(
      "-vf",
      "scale=321:181,setsar=1",
      "-an",
      "-c:v",
      "libvpx",
      "-b:v",
      "1M",
      "-deadline",
      "realtime",
      "-cpu-used",
      "8",
    ),
  },
  "wide-pixels": {
    description: "PAL wide pixels: 180×144 shown as 256×144",
    extension: "mp4",
    ffmpeg: flower("-vf", "scale=180:144,setsar=64/45", "-an", ...x264()),
  },
  vfr: {
    description: "frames left out at random: 10 to 30 a second",
    extension: "mp4",
    ffmpeg: friday(
      "-vf",
      `${SMALL},select='not(between(mod(n\\,7)\\,2\\,3))*not(eq(mod(n\\,11)\\,5))'`,
      "-vsync",
      "vfr",
      ...x264(),
      ...AAC,
    ),
  },
  "fps-59.94": {
    description: "60000/1001 frames a second",
    extension: "mp4",
    ffmpeg: friday("-vf", `${SMALL},fps=60000/1001`, ...x264(), ...AAC),
  },
  "fps-120": {
    description: "120 frames a second",
    extension: "mp4",
    ffmpeg: ["-i", FRIDAY, "-t", "2", "-vf", `${SMALL},fps=120`, ...x264(), ...AAC],
  },
  interlaced: {
    description: "MPEG-2 in TS, 25 pictures of two fields",
    extension: "ts",
    ffmpeg: friday(
      "-vf",
      `${SMALL},fps=50,interlace=scan=tff`,
      "-c:v",
      "mpeg2video",
      "-flags",
      "+ilme+ildct",
      "-top",
      "1",
      "-q:v",
      "2",
      "-bf",
      "2",
      "-c:a",
      "mp2",
    ),
  },
  portrait: {
    description: "180×320",
    extension: "mp4",
    ffmpeg: flower("-vf", "scale=320:180,transpose=1", ...x264(), ...AAC),
  },
  tiny: { description: "16×16", extension: "mp4", ffmpeg: friday("-vf", "scale=16:16", ...x264(), ...AAC) },
  "late-start": {
    description: "MPEG-TS whose clock starts at one hour",
    extension: "ts",
    ffmpeg: friday("-vf", SMALL, ...x264("-g", "45"), ...AAC, "-output_ts_offset", "3600"),
  },
  "negative-start": {
    description: "MPEG-TS whose clock passes 0 after half a second",
    extension: "ts",
    ffmpeg: friday(
      "-vf",
      SMALL,
      ...x264("-g", "45"),
      ...AAC,
      "-muxdelay",
      "0",
      "-muxpreload",
      "0",
      "-mpegts_copyts",
      "1",
      "-avoid_negative_ts",
      "disabled",
      "-output_ts_offset",
      "-0.5",
    ),
  },
  "untimed-start": {
    description: "Matroska whose first pictures carry no time at all",
    extension: "mkv",
    ffmpeg: friday(
      "-vf",
      SMALL,
      ...x264("-bf", "0"),
      ...AAC,
      "-avoid_negative_ts",
      "disabled",
      "-output_ts_offset",
      "-0.5",
    ),
  },
  "edit-list": {
    description: "MP4 cut without encoding: an edit list hides the first half of a GOP",
    extension: "mp4",
    ffmpeg: ["-ss", "1.5", "-i", FRIDAY, "-c", "copy"],
  },
  "edit-list-delay": {
    description: "MP4 whose picture starts half a second after its sound (empty edit)",
    extension: "mp4",
    ffmpeg: ["-itsoffset", "0.5", "-i", FRIDAY, "-i", FRIDAY, "-map", "0:v", "-map", "1:a", "-c", "copy", "-t", "3"],
  },
  "open-gop": {
    description: "H.264 with open GOPs in MPEG-TS",
    extension: "ts",
    ffmpeg: friday(
      "-vf",
      SMALL,
      ...x264("-x264-params", "open-gop=1:keyint=25:min-keyint=25:scenecut=0:bframes=3:b-adapt=0"),
      ...AAC,
    ),
  },
  "open-gop-mpeg2": {
    description: "MPEG-2 with open GOPs in MP4",
    extension: "mp4",
    ffmpeg: friday("-vf", SMALL, "-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-q:v", "2", ...AAC),
  },
  "no-audio": { description: "picture alone", extension: "mp4", ffmpeg: ["-i", FLOWER, "-an", "-c:v", "copy"] },
  "audio-only": { description: "M4A", extension: "m4a", ffmpeg: ["-i", FRIDAY, "-vn", "-c:a", "copy"] },
  mp3: {
    description: "MP3 with a cover picture",
    extension: "mp3",
    ffmpeg: [
      "-i",
      FRIDAY,
      "-i",
      FLOWER,
      "-map",
      "0:a",
      "-map",
      "1:v",
      "-frames:v",
      "1",
      "-c:v",
      "mjpeg",
      "-c:a",
      "libmp3lame",
      "-id3v2_version",
      "3",
      "-disposition:v",
      "attached_pic",
    ],
  },
  languages: {
    description: "two audio tracks, English and French",
    extension: "mkv",
    ffmpeg: [
      "-i",
      FRIDAY,
      "-t",
      "3",
      "-filter_complex",
      "[0:a]asplit[en][fr0];[fr0]volume=0.25[fr]",
      "-map",
      "0:v",
      "-map",
      "[en]",
      "-map",
      "[fr]",
      "-vf",
      SMALL,
      ...x264(),
      ...AAC,
      "-metadata:s:a:0",
      "language=eng",
      "-metadata:s:a:1",
      "language=fre",
      "-metadata:s:a:1",
      "title=Commentaire",
      "-disposition:a:0",
      "default",
      "-disposition:a:1",
      "0",
    ],
  },
  "surround-5.1": {
    description: "six channels of full scale",
    extension: "mkv",
    ffmpeg: [
      "-i",
      FRIDAY,
      "-f",
      "lavfi",
      "-i",
      "sine=440:sample_rate=48000,volume=18dB,pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0",
      "-map",
      "0:v",
      "-map",
      "1:a",
      "-t",
      "3",
      "-vf",
      SMALL,
      ...x264(),
      "-c:a",
      "ac3",
      "-b:a",
      "448k",
    ],
  },
  "mono-22k": {
    description: "mono at 22.05 kHz",
    extension: "mp4",
    ffmpeg: friday("-vf", SMALL, ...x264(), ...AAC, "-ac", "1", "-ar", "22050"),
  },
  "audio-short": {
    description: "sound of one second below a picture of three",
    extension: "mp4",
    ffmpeg: friday("-vf", SMALL, ...x264(), "-af", "atrim=0:1", ...AAC),
  },
  "audio-long": {
    description: "sound of four seconds beside a picture of two",
    extension: "mp4",
    ffmpeg: [
      "-i",
      FRIDAY,
      "-filter_complex",
      `[0:v]trim=0:2,${SMALL}[v];[0:a]atrim=0:4[a]`,
      "-map",
      "[v]",
      "-map",
      "[a]",
      ...x264(),
      ...AAC,
    ],
  },
  "audio-gap": {
    description: "sound with a hole of a second",
    extension: "mkv",
    ffmpeg: friday("-vf", SMALL, ...x264(), "-af", "aselect='not(between(t,1,2))'", "-c:a", "pcm_s16le"),
  },
  "audio-late": {
    description: "sound that starts 0.7 s after the picture",
    extension: "mkv",
    ffmpeg: [
      "-i",
      FRIDAY,
      "-itsoffset",
      "0.7",
      "-i",
      FRIDAY,
      "-map",
      "0:v",
      "-map",
      "1:a",
      "-t",
      "3",
      "-vf",
      SMALL,
      ...x264(),
      "-c:a",
      "pcm_s16le",
    ],
  },
  "one-frame": {
    description: "one frame",
    extension: "mp4",
    ffmpeg: ["-i", FLOWER, "-frames:v", "1", "-an", "-vf", "scale=320:180", ...x264()],
  },
  "size-change": {
    description: "MPEG-TS whose picture changes its size midway",
    extension: "ts",
    bytes: () => joined("ts", "ts-larger"),
  },
  "ts-larger": {
    description: "the same as ts, larger, later",
    extension: "ts",
    ffmpeg: friday("-vf", "scale=480:360", ...x264(), ...AAC, "-output_ts_offset", "3"),
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
  image: { description: "a JPEG", extension: "jpg", ffmpeg: ["-i", FLOWER, "-frames:v", "1", "-f", "image2"] },
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
    bytes: () => hugeAvi(0x7fff_ffff),
  },
  "larger-than-8k": { description: "AVI that says 8448×8448", extension: "avi", bytes: () => hugeAvi(8_448) },
  "thousands-of-tracks": {
    description: "MP4 with 5,000 tracks",
    extension: "mp4",
    bytes: () => cut("mp4-fast-start", 1).then((file) => manyTracks(file, 5_000)),
  },
  "too-long": {
    description: "MP4 of 13 hours by its own account",
    extension: "mp4",
    ffmpeg: [
      "-f",
      "lavfi",
      "-i",
      "color=size=32x32:rate=1:duration=2",
      "-vf",
      "setpts=PTS*46800",
      "-vsync",
      "vfr",
      ...x264(),
      "-video_track_timescale",
      "1000",
    ],
  },
  loop: {
    description: "Matroska whose seek index points back into itself",
    extension: "mkv",
    bytes: () => cut("mkv", 1).then(loopingMatroska),
  },
} satisfies Record<string, Source>;

/** Every source by name, with what it is. */
export const SOURCES: Record<SourceName, Source> = { ...MEDIA, ...BAD };
export type SourceName = keyof typeof MEDIA | keyof typeof BAD;

/** @returns the path of the source, made when it is not there yet; safe to call from several processes */
export const makeSource = (name: SourceName): Promise<string> => fileOf(name);

async function fileOf(name: string): Promise<string> {
  const source = (SOURCES as Record<string, Source>)[name];
  if (source === undefined) throw new Error(`no source is called ${name}`);
  // The name carries the recipe, so a changed one is made anew.
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
  const unfinished = join(CACHE, `${process.pid}-${basename(path)}`);
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

async function joined(...names: string[]): Promise<Buffer> {
  return Buffer.concat(await Promise.all(names.map((name) => cut(name, 1))));
}

/** The same bytes each time: a linear congruential generator. */
function noise(bytes: number): Buffer {
  let state = 12_345;
  return Buffer.from(Array.from({ length: bytes }, () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >>> 16));
}

function boxBomb(depth: number): Buffer {
  const ftyp = Buffer.from("\0\0\0\u0010ftypisom\0\0\0\0", "latin1");
  const boxes = Buffer.alloc(depth * 8);
  for (let i = 0; i < depth; i++) {
    boxes.writeUInt32BE((depth - i) * 8, i * 8);
    boxes.write(i === 0 ? "moov" : "trak", i * 8 + 4, "latin1");
  }
  return Buffer.concat([ftyp, boxes]);
}

/** Overwrites the 32 bits that lie `offset` bytes behind the version and flags of the first box of a type. */
function claim(file: Buffer, type: string, offset: number, value: number): Buffer {
  const changed = Buffer.from(file);
  changed.writeUInt32BE(value, changed.indexOf(type, 0, "latin1") + 4 + offset);
  return changed;
}

/** An AVI whose headers, and those of its stream, give another size; MJPEG, so that the size is not corrected by the codec's own. */
async function hugeAvi(edgePx: number): Promise<Buffer> {
  const path = join(CACHE, `${process.pid}-plain.avi`);
  await mkdir(CACHE, { recursive: true });
  await run("ffmpeg", [
    "-y",
    "-v",
    "error",
    "-i",
    FLOWER,
    "-frames:v",
    "3",
    "-an",
    "-vf",
    "scale=64:64",
    "-c:v",
    "rawvideo",
    "-pix_fmt",
    "yuv420p",
    path,
  ]);
  const file = await readFile(path);
  await rm(path);
  const main = file.indexOf("avih", 0, "latin1") + 8;
  for (const at of [main + 32, main + 36]) file.writeUInt32LE(edgePx, at);
  const format = file.indexOf("strf", 0, "latin1") + 8;
  for (const at of [format + 4, format + 8]) file.writeUInt32LE(edgePx, at);
  return file;
}

/** The first track again and again. */
function manyTracks(file: Buffer, count: number): Buffer {
  const moovAt = file.indexOf("moov", 0, "latin1") - 4;
  const trakAt = file.indexOf("trak", 0, "latin1") - 4;
  const trak = file.subarray(trakAt, trakAt + file.readUInt32BE(trakAt));
  const moovBytes = file.readUInt32BE(moovAt);
  const copies = Buffer.concat(Array.from({ length: count }, () => trak));
  const moov = Buffer.concat([file.subarray(moovAt, moovAt + moovBytes), copies]);
  moov.writeUInt32BE(moov.length, 0);
  return Buffer.concat([file.subarray(0, moovAt), moov, file.subarray(moovAt + moovBytes)]);
}

/** Every entry of the SeekHead says that its element is the SeekHead. */
function loopingMatroska(file: Buffer): Buffer {
  const changed = Buffer.from(file);
  const seekPosition = Buffer.from([0x53, 0xac]);
  for (let at = changed.indexOf(seekPosition); at >= 0 && at < 4096; at = changed.indexOf(seekPosition, at + 2)) {
    const bytes = changed[at + 2]! & 0x0f;
    changed.fill(0, at + 3, at + 3 + bytes);
  }
  return changed;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of Object.keys(SOURCES) as SourceName[]) process.stdout.write(`${name}\t${await makeSource(name)}\n`);
}
