/** Opens a source: its container and the streams to encode. */
import { Dictionary, FFmpegError, FormatContext, InputFormat, type Stream } from "node-av/lib";
import { AV_NOPTS_VALUE, AVFMT_FLAG_CUSTOM_IO, AVMEDIA_TYPE_AUDIO } from "node-av/constants";
import { type ClockSpan, MAX_CLOCK_SPANS } from "../../protocol/source-facts.ts";
import type { CallbackTarget } from "../platform/callbacks.ts";
import { JobError } from "../platform/errors.ts";
import { CODEC_WHITELIST, decoderOf } from "./codecs.ts";
import { chooseVideo, countPictures, declaredPictures, videoCandidates } from "./choose-video.ts";
import { PacketClock } from "./clock/packet-clock.ts";
import { pesStream } from "./clock/pes-times.ts";
import { type Multiplexed, readClock } from "./clock/read-clock.ts";
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
  "wtv",
  "dv",
  "amr",
  "aiff",
  "ac3",
  "eac3",
  "caf",
  "w64",
];
const MAX_STREAMS = 100;
/** Recordings in these are joined by appending one to another, and their timestamps have 33 bits: their clocks restart. */
const MULTIPLEXES: Record<string, Multiplexed["multiplex"]> = { mpegts: "transport", mpeg: "program" };

export interface OpenSource {
  format: FormatContext;
  reader: SourceReader;
  containerFormat: string;
  video: Stream | null;
  audio: Stream[];
  /** Start of the presentation in file time, in seconds: the earliest start of the selected streams. */
  zeroSeconds: number;
  /** Where the clock jumps; file time then is presentation time. Null = nowhere. */
  clock: ClockSpan[] | null;
  packetClock: PacketClock | null;
  /** Nothing has been read since it was opened, so that reading begins at its start. */
  isAtStart: boolean;
}

export type SourcePath = "source" | "sound" | "piece" | "video" | `imposed/${number}` | `files/${number}`;

/** The path of a file of a montage. */
export const montageFile = (file: number): SourcePath => (file === 0 ? "source" : `files/${file}`);

export interface SourceRequest {
  /** Path of the file among the job's callbacks. */
  path?: SourcePath;
  /** As the probe has found it; absent = it is read. */
  clock?: ClockSpan[] | null;
}

/** @throws {JobError} with a `source_*` code when the source is not accepted */
export async function openSource(
  target: CallbackTarget,
  hooks: ReaderHooks,
  { path = "source", clock }: SourceRequest = {},
): Promise<OpenSource> {
  const reader = await SourceReader.open(target, hooks, path);
  reader.budgetBytes = reader.sizeBytes * 4 + (256 << 20);
  return openFormat(reader, clock === undefined ? {} : { clock });
}

/** Closes the source and opens it again, in place, at its start, because not every demuxer can seek there. */
export async function reopen(source: OpenSource): Promise<void> {
  await source.format.closeInput();
  Object.assign(source, await openFormat(source.reader, knownOf(source)));
}

/** What one more range costs beside its own bytes: a search in the file, and pictures before its first one. */
const RANGE_BYTES = 16 << 20;

/**
 * Allows the reader of a source to read one more range of it.
 *
 * @param share of the file, 0 to 1
 */
export function allowRange({ reader }: OpenSource, share: number): void {
  reader.budgetBytes += reader.sizeBytes * 4 * share + RANGE_BYTES;
}

/** What an earlier opening has found. */
interface Known {
  videoIndex?: number;
  clock?: ClockSpan[] | null;
}

const knownOf = ({ video, clock }: Pick<OpenSource, "video" | "clock">): Known =>
  video === null ? { clock } : { clock, videoIndex: video.index };

async function openFormat(reader: SourceReader, known: Known): Promise<OpenSource> {
  const format = new FormatContext();
  format.allocContext();
  format.pb = reader.startOver();
  format.setFlags(AVFMT_FLAG_CUSTOM_IO);
  using options = Dictionary.fromObject({
    format_whitelist: CONTAINERS.join(","),
    codec_whitelist: CODEC_WHITELIST,
    protocol_whitelist: "none",
    max_streams: MAX_STREAMS,
    ...(known.clock ? { correct_ts_overflow: 0 } : {}),
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
  if (candidates.length > 1 && known.videoIndex === undefined && declared === null) {
    const { index: videoIndex } = chooseVideo(candidates, await countPictures(format, candidates))!;
    if (reader.failure !== undefined) throw reader.failure;
    await format.closeInput();
    return openFormat(reader, { ...known, videoIndex });
  }
  const video = candidates.find(({ index }) => index === known.videoIndex) ?? chooseVideo(candidates, declared);
  const audio = streams.filter(
    (stream) =>
      stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO && decoderOf(stream) !== null && stream.codecpar.sampleRate > 0,
  );
  const selected = [...(video ? [video] : []), ...audio];
  const containerFormat = containerName(format.iformat?.name ?? "", await reader.head());
  const file = multiplexed({ reader, containerFormat }, selected);
  const clock = known.clock === undefined ? await clockOf(file) : known.clock;
  if (clock !== null && !known.clock) {
    const found = knownOf({ video, clock });
    await format.closeInput();
    return openFormat(reader, found);
  }
  const starts = selected.flatMap((stream) => startSeconds(stream) ?? []);
  return {
    format,
    reader,
    containerFormat,
    video,
    audio,
    zeroSeconds: clock !== null || starts.length === 0 ? 0 : Math.min(...starts),
    clock,
    packetClock: file === null ? null : new PacketClock(clock),
    isAtStart: true,
  };
}

/** The streams of a file whose timestamps can be found in its bytes; null for other containers. */
export function multiplexed(
  { reader, containerFormat }: Pick<OpenSource, "reader" | "containerFormat">,
  streams: Stream[],
): Multiplexed | null {
  const multiplex = MULTIPLEXES[containerFormat];
  return multiplex === undefined
    ? null
    : { reader, multiplex, streams: streams.map(({ id }) => pesStream(multiplex, id)) };
}

async function clockOf(file: Multiplexed | null): Promise<ClockSpan[] | null> {
  const clock = file === null ? null : await readClock(file);
  if (clock !== null && clock.length > MAX_CLOCK_SPANS)
    throw new JobError("source_damaged", `The source's clock jumps more than ${MAX_CLOCK_SPANS} times.`);
  return clock;
}

/** Start in file time, in seconds; undefined when no packet has a timestamp. */
export function startSeconds(stream: Stream): number | undefined {
  return stream.startTime === AV_NOPTS_VALUE ? undefined : ticksToSeconds(stream.startTime, stream);
}

export function ticksToSeconds(ticks: bigint, { timeBase }: { timeBase: { num: number; den: number } }): number {
  return (Number(ticks) * timeBase.num) / timeBase.den;
}

async function openFailure(reader: SourceReader, code: number): Promise<JobError> {
  const cause = new Error(FFmpegError.strerror(code));
  if (code === -12) return tooManyStreams(cause);
  const guess = InputFormat.probe(await reader.head())?.name ?? "";
  if (guess === "rm")
    return new JobError(
      "source_no_streams",
      "The source is RealMedia, whose codecs are not decoded. Convert it first, for example to MP4.",
      { cause },
    );
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
