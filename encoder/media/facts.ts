/** The `probe` job: determines the facts of a source. */
import { avGetCodecName, avGetPixFmtName, type Stream } from "node-av/lib";
import {
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  AV_DISPOSITION_DEFAULT,
  AV_FRAME_FLAG_INTERLACED,
  AV_PKT_DATA_DISPLAYMATRIX,
} from "node-av/constants";
import type { AVPixelFormat } from "node-av/constants";
import type { ProbeJob, ProbeResult } from "../../protocol/jobs.ts";
import type { SourceAudio, SourceVideo } from "../../protocol/source-facts.ts";
import { JobError } from "../platform/errors.ts";
import { outputRate, pictureGrid } from "./frame-rate.ts";
import type { JobContext } from "./job-context.ts";
import { type Look, look } from "./look.ts";
import { orientationOf } from "./orientation.ts";
import { pairedSounds } from "./paired-sound.ts";
import { pixelAspects, shownSize } from "./picture-shape.ts";
import { montageFile, openSource, startSeconds } from "./source.ts";
import { streamEnds } from "./stream-ends.ts";
import { isDescription, languageOf, sourceSubtitles, titleOf } from "./subtitle-facts.ts";

const MAX_DURATION_MS = 12 * 3600_000;
const MAX_PIXELS = 7680 * 4320;
const MAX_EDGE_PX = 8192;

export async function probe(job: ProbeJob, context: JobContext): Promise<ProbeResult> {
  const source = await openSource(job, context, { path: montageFile(job.file ?? 0) });
  if (source.video === null && source.audio.length === 0) throw noStreams();
  if (source.video !== null) refuseTooLarge(source.video);

  const seen = await look(source);
  // Read the streams before the file is reopened to find their ends, which invalidates them.
  const clip = clipOf(job, source.zeroSeconds);
  const picture =
    source.video === null || seen.frames.length === 0 ? null : pictureFacts(source.video, seen, clip.startSeconds);
  for (const frame of seen.frames) frame.free();
  const tracks = source.audio.map((stream) => soundFacts(stream));
  const sounds = source.containerFormat === "mxf" ? pairedSounds(tracks) : tracks;
  const subtitles = await sourceSubtitles(source, seen);
  const { clock } = source;
  const starts =
    clock === null
      ? new Map(source.format.streams.map((stream) => [stream.index, startSeconds(stream)]))
      : seen.startsSeconds;
  const ends = await streamEnds(source, seen);

  const jumps = clock === null ? {} : { clock };
  const clipPlace = (streamIndex: number) => placeInClip(starts.get(streamIndex), ends.get(streamIndex), clip);
  const audio: SourceAudio[] = sounds
    .filter(({ streamIndex }) => ends.has(streamIndex))
    .map((sound) => ({ ...sound, ...clipPlace(sound.streamIndex), ...jumps }));
  const video =
    picture === null ? null : withOneFrameAtLeast({ ...picture, ...clipPlace(picture.streamIndex), ...jumps });
  if (video === null && audio.length === 0) throw noStreams();
  const durationMs = Math.max(
    ...[...(video ? [video] : []), ...audio].map((track) => track.startMs + track.durationMs),
  );
  refuseTooLong(durationMs);
  const isInClip = ({ streamIndex }: { streamIndex: number }) =>
    overlaps(starts.get(streamIndex), ends.get(streamIndex), clip);
  if (!(durationMs > 0) || ![...(video ? [video] : []), ...audio].some(isInClip))
    throw new JobError("source_damaged", emptyRangeText(Math.max(...ends.values()) - source.zeroSeconds));
  return { kind: "probe", facts: { containerFormat: source.containerFormat, durationMs, video, audio, subtitles } };
}

function withOneFrameAtLeast(video: SourceVideo): SourceVideo {
  return { ...video, durationMs: Math.max(video.durationMs, (1000 * video.frameRate.den) / video.frameRate.num) };
}

const noStreams = () => new JobError("source_no_streams", "The source has no stream that can be decoded.");

/** @throws {JobError} source_too_long */
export function refuseTooLong(durationMs: number): void {
  if (durationMs > MAX_DURATION_MS) throw new JobError("source_too_long", "The source is longer than 12 hours.");
}

/** @throws {JobError} source_too_large_picture */
export function refuseTooLarge({
  codecpar: { width, height },
}: {
  codecpar: Pick<Stream["codecpar"], "width" | "height">;
}): void {
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_EDGE_PX)
    throw new JobError(
      "source_too_large_picture",
      `The source's picture is ${width}×${height}; the largest is 7680×4320.`,
    );
}

/** The requested range of the presentation, in file time. */
interface Clip {
  startSeconds: number;
  endSeconds: number;
}

function clipOf({ clip }: ProbeJob, zeroSeconds: number): Clip {
  return {
    startSeconds: zeroSeconds + clip.startMs / 1000,
    endSeconds: clip.endMs === null ? Infinity : zeroSeconds + clip.endMs / 1000,
  };
}

/** Start and duration of a stream within the clip, in ms after the clip's start. */
function placeInClip(fileStart: number | undefined, fileEnd: number | undefined, clip: Clip) {
  const start = Math.max(clip.startSeconds, fileStart ?? clip.startSeconds);
  const end = Math.min(clip.endSeconds, fileEnd ?? start);
  const toMs = (seconds: number) => Math.round(seconds * 1e6) / 1e3;
  return { startMs: toMs(start - clip.startSeconds), durationMs: Math.max(0, toMs(end - start)) };
}

/** Whether anything of a stream is within the clip. A single picture has no length. */
function overlaps(fileStart: number | undefined, fileEnd: number | undefined, clip: Clip): boolean {
  const start = fileStart ?? clip.startSeconds;
  const end = fileEnd ?? start;
  return start < clip.endSeconds && (end > clip.startSeconds || start >= clip.startSeconds);
}

const emptyRangeText = (lengthSeconds: number) =>
  `The range from startTime to endTime contains nothing of the source, which is ${lengthSeconds.toFixed(1)} seconds long.`;

type Unplaced<Track> = Omit<Track, "startMs" | "durationMs">;

function pictureFacts(stream: Stream, { frames, videoTimesSeconds }: Look, zeroSeconds: number): Unplaced<SourceVideo> {
  const { codecpar } = stream;
  const first = frames[0]!;
  const declared = stream.avgFrameRate.num > 0 && stream.avgFrameRate.den > 0 ? stream.avgFrameRate.toDouble() : 0;
  const { frameRate, isVariable } = outputRate({ declared, timesSeconds: videoTimesSeconds });
  const gridSeconds = pictureGrid(
    videoTimesSeconds.map((time) => time - zeroSeconds),
    frameRate,
  );
  const orientation = orientationOf(codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX));
  const interlaced = frames.filter((frame) => frame.hasFlags(AV_FRAME_FLAG_INTERLACED)).length;
  return {
    streamIndex: stream.index,
    codec: avGetCodecName(codecpar.codecId) ?? "unknown",
    ...shownSize(first, pixelAspects(stream), orientation),
    ...orientation,
    frameRate,
    variableFrameRate: isVariable,
    ...(gridSeconds === null ? {} : { gridMs: gridSeconds * 1000 }),
    interlaced: interlaced * 2 > frames.length,
    bitDepth: bitDepthOf(first.format as AVPixelFormat),
    hdr: first.colorTrc === AVCOL_TRC_SMPTE2084 ? "pq" : first.colorTrc === AVCOL_TRC_ARIB_STD_B67 ? "hlg" : null,
    bitrateBps: Math.max(0, Number(codecpar.bitRate)),
  };
}

/** Clockwise rotation that makes the picture upright, after its mirroring if there is one. */
export const rotationOf = (matrix: Buffer | null): SourceVideo["rotationDegrees"] =>
  orientationOf(matrix).rotationDegrees;

/** Parses libav's pixel format name: "yuv420p10le" → 10, "p010le" → 10, "yuv420p" → 8. */
function bitDepthOf(format: AVPixelFormat): number {
  const name = avGetPixFmtName(format) ?? "";
  const found = /p0?(\d\d)(?:msb)?(?:le|be)$|(?:gray|p4)(\d\d)(?:le|be)$/.exec(name);
  return found === null ? 8 : Number(found[1] ?? found[2]);
}

function soundFacts(stream: Stream): Unplaced<SourceAudio> {
  return {
    streamIndex: stream.index,
    codec: avGetCodecName(stream.codecpar.codecId) ?? "unknown",
    channels: Math.max(1, stream.codecpar.channels),
    sampleRateHz: stream.codecpar.sampleRate,
    languageCode: languageOf(stream),
    title: titleOf(stream),
    isDefault: stream.hasDisposition(AV_DISPOSITION_DEFAULT),
    ...(isDescription(stream) ? { isDescription: true } : {}),
  };
}
