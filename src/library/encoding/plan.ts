import type { FrameGrid, ImposedSound, LoudnessTarget, VideoRung, Watermark } from "../../../protocol/jobs.ts";
import type { SourceAudio, SourceFacts, SourceVideo } from "../../../protocol/source-facts.ts";
import type { MontagePlan } from "./plan-montage.ts";
import { frameCountUntil } from "../../../protocol/media/frame-picker.ts";
import { planGrid, planLadder, type MediaQuality, type ResolutionLabel } from "../../../protocol/ladder.ts";

/** About a minute of media: long enough to amortize starting a job, short enough that losing one costs little. */
const CHUNK_SEGMENTS = 15;
/** For a source without passthrough: the first chunk is done within seconds, and each next one before a player reaches it. */
const FIRST_CHUNKS_SEGMENTS = [1, 2, 6];
const AUDIO_BITRATE_BPS = { mono: 80_000, stereo: 128_000 };
/** Audio that outlasts the video by no more than this is cut. */
const LONGEST_CUT_SOUND_MS = 250;
/** Segment duration of audio without video. */
const AUDIO_ONLY_SEGMENT_SECONDS = { num: 4, den: 1 };

export interface VideoChunk {
  firstFrame: number;
  frameCount: number;
  firstSegment: number;
}

export interface PlannedAudio {
  rendition: string;
  audio: SourceAudio;
  bitrateBps: number;
  /** The loudness to which it is brought. Absent = it stays as loud as it is. */
  loudness?: LoudnessTarget;
  /** Sounds that are mixed into it. Absent = none. */
  imposed?: ImposedSound[];
  /** It is cut like the recording to which it is added (`SoundCuts`). */
  hasCuts?: true;
}

export interface VideoPlan {
  source: SourceVideo;
  grid: FrameGrid;
  rungs: VideoRung[];
  frameCount: number;
  chunks: VideoChunk[];
  /** The audio is longer than the video: the last frame is repeated until the audio ends. */
  holdsLastPicture: boolean;
}

/** Everything to encode for an asset. The same facts always give the same plan. */
export interface EncodingPlan {
  video: VideoPlan | null;
  audio: PlannedAudio[];
  audioSegmentSeconds: { num: number; den: number };
  /** Duration of every rendition; null = that of the audio. */
  durationMs: number | null;
  /** Burnt into every picture. Absent = none. */
  watermark?: Watermark;
  /** The media is put together from several ranges. Absent = it is one range of its source. */
  montage?: MontagePlan;
}

/**
 * Splits `frameCount` frames at segment boundaries. A remainder below a third of a chunk is added to the previous chunk.
 *
 * @param isAwaited there is no passthrough, so viewers may be waiting for the first chunks
 */
export function planChunks(frameCount: number, grid: FrameGrid, isAwaited: boolean): VideoChunk[] {
  const chunks: VideoChunk[] = [];
  let frame = 0;
  while (frame < frameCount) {
    const rest = frameCount - frame;
    const segments = isAwaited ? FIRST_CHUNKS_SEGMENTS[chunks.length] : undefined;
    const full = (segments ?? CHUNK_SEGMENTS) * grid.framesPerSegment;
    const take = chunks.length > 0 && rest - full < full / 3 ? rest : full;
    chunks.push({ firstFrame: frame, frameCount: Math.min(take, rest), firstSegment: frame / grid.framesPerSegment });
    frame += take;
  }
  return chunks;
}

/** Passthrough facts of a source, from the probe at the edge. */
export interface PassthroughFacts {
  isStandard: boolean;
  onLadderGrid: boolean;
  bitrateBps: number;
}

const bitrateOf = ({ channels }: SourceAudio): number =>
  channels === 1 ? AUDIO_BITRATE_BPS.mono : AUDIO_BITRATE_BPS.stereo;

/** A ready media, as far as sound that is added to it has to fit. */
export interface ReadyMedia {
  durationMs: number;
  /** Null = there is no picture. */
  frameRate: { num: number; den: number } | null;
  /** A recording or clip of a broadcast, whose segments have cuts of their own. */
  isRecorded: boolean;
}

/**
 * Plans an added audio track: cut at the picture's segments, and as long as the media.
 *
 * @param facts of the track's own file, whose default audio stream is taken
 * @returns null when the file has no sound
 */
export function planAddedSound(
  facts: SourceFacts,
  rendition: string,
  media: ReadyMedia,
  imposed: readonly ImposedSound[] | null,
): EncodingPlan | null {
  const audio = facts.audio.find(({ isDefault }) => isDefault) ?? facts.audio[0];
  if (audio === undefined) return null;
  const { frameRate, durationMs, isRecorded } = media;
  const sound =
    imposed === null ? { rendition, audio, bitrateBps: bitrateOf(audio) } : mixed(rendition, audio, imposed);
  const segment = frameRate && { num: planGrid(frameRate).framesPerSegment * frameRate.den, den: frameRate.num };
  return {
    video: null,
    audio: [isRecorded ? { ...sound, hasCuts: true } : sound],
    audioSegmentSeconds: segment ?? AUDIO_ONLY_SEGMENT_SECONDS,
    durationMs,
  };
}

/** What is mixed into mono may have two channels, so the result does. */
const mixed = (rendition: string, audio: SourceAudio, imposed: readonly ImposedSound[]): PlannedAudio => ({
  rendition,
  audio,
  bitrateBps: AUDIO_BITRATE_BPS.stereo,
  imposed: imposed.map(({ startMs, endMs, fadeInMs, fadeOutMs }) => ({ startMs, endMs, fadeInMs, fadeOutMs })),
});

/** EBU R128 for the web: the loudness that streaming services and phones agree on (AES TD1008). */
const LOUDNESS: LoudnessTarget = { targetLufs: -16, maxTruePeakDb: -1 };

type EncodingRequest = { maxResolution: ResolutionLabel; mediaQuality: MediaQuality; optimizeAudio?: boolean };

/** Plans a source. When passthrough can serve as the top rung (same size and grid, bitrate below the cap), that rung is not encoded. */
export function planWithPassthrough(
  facts: SourceFacts,
  request: EncodingRequest,
  passthrough: PassthroughFacts | null,
): { plan: EncodingPlan; skipTopRung: boolean } {
  const isAwaited = passthrough?.isStandard !== true;
  const ladder = planEncoding(facts, { ...request, isAwaited, skipTopRung: false });
  const [top] = ladder.video?.rungs ?? [];
  const { video } = facts;
  const isSameSize =
    top !== undefined && video !== null && top.widthPx === video.widthPx && top.heightPx === video.heightPx;
  const skipTopRung = isSameSize && passthrough?.onLadderGrid === true && passthrough.bitrateBps <= top.maxBitrateBps;
  return {
    plan: skipTopRung ? planEncoding(facts, { ...request, isAwaited, skipTopRung }) : ladder,
    skipTopRung,
  };
}

/**
 * @param isAwaited see {@link planChunks}
 * @param skipTopRung the source itself serves as the top rung (passthrough on the ladder's grid)
 */
export function planEncoding(
  facts: SourceFacts,
  request: EncodingRequest & { isAwaited: boolean; skipTopRung: boolean },
): EncodingPlan {
  const audio = facts.audio.map((track, position) => ({
    rendition: `a${position + 1}`,
    audio: track,
    bitrateBps: bitrateOf(track),
    ...(request.optimizeAudio === true ? { loudness: LOUDNESS } : {}),
  }));
  if (facts.video === null)
    return { video: null, audio, audioSegmentSeconds: AUDIO_ONLY_SEGMENT_SECONDS, durationMs: null };

  const source = facts.video;
  const grid = planGrid(source.frameRate);
  const { num, den } = source.frameRate;
  const pictureMs = source.startMs + source.durationMs;
  const holdsLastPicture = facts.durationMs > pictureMs + LONGEST_CUT_SOUND_MS;
  const frameCount = frameCountUntil((holdsLastPicture ? facts.durationMs : pictureMs) / 1000, source.frameRate);
  const ladder = planLadder(source, source.frameRate, request.maxResolution, request.mediaQuality);
  const rungs = request.skipTopRung ? ladder.slice(1) : ladder;
  const chunks = rungs.length === 0 ? [] : planChunks(frameCount, grid, request.isAwaited);
  return {
    video: { source, grid, rungs, frameCount, chunks, holdsLastPicture },
    audio,
    audioSegmentSeconds: { num: grid.framesPerSegment * den, den: num },
    durationMs: ((frameCount * den) / num) * 1000,
  };
}
