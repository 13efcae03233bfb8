/** Opens a source: its container and the streams to encode. */
import { Dictionary, FFmpegError, FormatContext, InputFormat, type Stream } from "node-av/lib";
import {
  AVDISCARD_ALL,
  AV_NOPTS_VALUE,
  AVERROR_EOF,
  AVFMT_FLAG_CUSTOM_IO,
  AVMEDIA_TYPE_AUDIO,
} from "node-av/constants";
import type { CallbackTarget } from "../platform/callbacks.ts";
import { JobError } from "../platform/errors.ts";
import { CODEC_WHITELIST, decoderOf } from "./codecs.ts";
import { chooseVideo, countPictures, declaredPictures, videoCandidates } from "./choose-video.ts";
import { type ReaderHooks, SourceReader } from "./source-reader.ts";

/**
 * Allow-list of containers, by libav's names. libav also accepts subtitle text, ANSI art and playlists that reference other files.
 */
const CONTAINERS = [
  "mov",
  "mp4",
  "matroska",
  "webm",
  "mpegts",
  "avi",
  "flv",
  "asf",
  "mpeg",
  "ogg",
  "wav",
  "mp3",
  "flac",
  "aac",
  "mxf",
  "dv",
  "amr",
  "aiff",
  "ac3",
  "eac3",
  "caf",
  "w64",
];
const MAX_STREAMS = 100;

export interface OpenSource {
  format: FormatContext;
  reader: SourceReader;
  containerFormat: string;
  video: Stream | null;
  audio: Stream[];
  /** Start of the presentation in file time, in seconds: the earliest start of the selected streams. */
  zeroSeconds: number;
}

/**
 * @param path of the file among the job's callbacks
 * @throws {JobError} with a `source_*` code when the source is not accepted
 */
export async function openSource(
  target: CallbackTarget,
  hooks: ReaderHooks,
  path: "source" | `imposed/${number}` = "source",
): Promise<OpenSource> {
  const reader = await SourceReader.open(target, hooks, path);
  reader.budgetBytes = reader.sizeBytes * 4 + (256 << 20);
  return openFormat(reader);
}

/** Closes the source and reopens it at its start, because not every demuxer can seek there. */
export async function reopen(source: OpenSource): Promise<OpenSource> {
  await source.format.closeInput();
  return openFormat(source.reader, source.video?.index);
}

/** @param videoIndex the stream that has been chosen; undefined = none yet */
async function openFormat(reader: SourceReader, videoIndex?: number): Promise<OpenSource> {
  const format = new FormatContext();
  format.allocContext();
  format.pb = reader.startOver();
  format.setFlags(AVFMT_FLAG_CUSTOM_IO);
  using options = Dictionary.fromObject({
    format_whitelist: CONTAINERS.join(","),
    codec_whitelist: CODEC_WHITELIST,
    protocol_whitelist: "none",
    max_streams: MAX_STREAMS,
  });
  const opened = await format.openInput("", null, options);
  if (reader.failure !== undefined) throw reader.failure;
  if (opened < 0) throw await openFailure(reader, opened);
  const searched = await format.findStreamInfo(null);
  if (reader.failure !== undefined) throw reader.failure;
  if (searched < 0) throw new JobError("source_damaged", "The source's streams could not be read.");

  const streams = format.streams;
  if (streams.length >= MAX_STREAMS) throw tooManyStreams();
  const candidates = videoCandidates(streams);
  const declared = declaredPictures(candidates);
  if (candidates.length > 1 && videoIndex === undefined && declared === null) {
    const { index } = chooseVideo(candidates, await countPictures(format, candidates))!;
    if (reader.failure !== undefined) throw reader.failure;
    await format.closeInput();
    return openFormat(reader, index);
  }
  const video = candidates.find(({ index }) => index === videoIndex) ?? chooseVideo(candidates, declared);
  const audio = streams.filter(
    (stream) =>
      stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO && decoderOf(stream) !== null && stream.codecpar.sampleRate > 0,
  );
  const starts = [...(video ? [video] : []), ...audio].flatMap((stream) => startSeconds(stream) ?? []);
  return {
    format,
    reader,
    containerFormat: containerName(format.iformat?.name ?? "", await reader.head()),
    video,
    audio,
    zeroSeconds: starts.length > 0 ? Math.min(...starts) : 0,
  };
}

/** Start in file time, in seconds; undefined when no packet has a timestamp. */
export function startSeconds(stream: Stream): number | undefined {
  return stream.startTime === AV_NOPTS_VALUE ? undefined : ticksToSeconds(stream.startTime, stream);
}

export function ticksToSeconds(ticks: bigint, { timeBase }: { timeBase: { num: number; den: number } }): number {
  return (Number(ticks) * timeBase.num) / timeBase.den;
}

/** Lets the demuxer skip every other stream. */
export function keepOnly(source: OpenSource, ...kept: Stream[]): void {
  const indexes = new Set(kept.map(({ index }) => index));
  for (const stream of source.format.streams) if (!indexes.has(stream.index)) stream.discard = AVDISCARD_ALL;
}

/** True at the end of the file, which includes undecodable data. @throws the reader's error */
export function isEnd(source: OpenSource, result: number): boolean {
  if (source.reader.failure !== undefined) throw source.reader.failure;
  return result === AVERROR_EOF || result < 0;
}

async function openFailure(reader: SourceReader, code: number): Promise<JobError> {
  const cause = new Error(FFmpegError.strerror(code));
  if (code === -12) return tooManyStreams(cause);
  const guess = InputFormat.probe(await reader.head())?.name ?? "";
  const isContainer = guess.split(",").some((name) => CONTAINERS.includes(name));
  return isContainer
    ? new JobError("source_damaged", "The source is damaged: its index is missing or cannot be read.", { cause })
    : new JobError("source_not_media", "The source is not a video or audio file.", { cause });
}

const tooManyStreams = (cause?: Error) =>
  new JobError(
    "source_exceeds_limits",
    `The source has ${MAX_STREAMS} streams or more, or asks for absurd amounts of memory.`,
    { cause },
  );

/** A single container name; libav lists every format of its demuxer. */
function containerName(demuxer: string, head: Buffer): string {
  if (demuxer.startsWith("mov,"))
    return head.toString("latin1", 4, 8) === "ftyp" && head.toString("latin1", 8, 12) !== "qt  " ? "mp4" : "mov";
  if (demuxer.startsWith("matroska")) return head.subarray(0, 128).includes("webm") ? "webm" : "matroska";
  return demuxer;
}
