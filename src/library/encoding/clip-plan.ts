/** What of a clip is encoded: the parts of its first and of its last segment that are in the clip. Pure. */
import type { ClipRange, VideoRung } from "../../../protocol/jobs.ts";
import { segmentTimes } from "../../media/clips/segment-times.ts";
import { clipRenditionName } from "../../media/clips/shared-rendition.ts";
import { clipFrames, cutSegments, type FrameRange, msOfFrame } from "../../media/clips/clip-range.ts";
import type { Rendition } from "../../media/manifest/model.ts";
import type { ClipCut, ClipSource } from "./clip-cut.ts";
import { planRecordedClip } from "./plan-recorded-clip.ts";
import type { EncodingPlan, VideoChunk, VideoPlan } from "./plan.ts";

type Row = Rendition;

/**
 * @param asked times of the clip, from the start of the media that it is cut from
 * @param rows renditions of the owner that the clip gets
 * @returns null when nothing is between the times
 */
export function planClip(
  source: ClipSource,
  asked: ClipRange,
  rows: readonly Row[],
): { cut: ClipCut; plan: EncodingPlan } | null {
  const range = onOwner(source, asked);
  const pictures = rows.filter(({ kind }) => kind === "video").toSorted((a, b) => area(b) - area(a));
  if (source.isRecorded === true && pictures.length > 0) return planRecordedClip(source, range, pictures);
  return source.video === null || pictures.length === 0
    ? planSound(source, range, rows)
    : planPicture(source, source.video, range, pictures);
}

const area = ({ widthPx, heightPx }: Row): number => (widthPx ?? 0) * (heightPx ?? 0);

function onOwner({ startMs, endMs }: ClipSource, asked: ClipRange): ClipRange {
  const ends = [endMs, asked.endMs === null ? null : startMs + asked.endMs].filter((end) => end !== null);
  return { startMs: startMs + asked.startMs, endMs: ends.length === 0 ? null : Math.min(...ends) };
}

function planPicture(
  source: ClipSource,
  video: NonNullable<ClipSource["video"]>,
  range: ClipRange,
  pictures: readonly Row[],
): { cut: ClipCut; plan: EncodingPlan } | null {
  const { grid } = video;
  const { frameRate, framesPerSegment } = grid;
  const frameCount = Math.min(...pictures.map((row) => framesOf(row, frameRate)));
  const frames = clipFrames(range, frameRate, frameCount);
  if (frames.first >= frames.end) return null;
  const { firstSegment, endSegment, head, tail } = cutSegments(frames, frameCount, framesPerSegment);
  const chunks: VideoChunk[] = [
    ...(head === null ? [] : [chunkOf(head, 0)]),
    ...(tail === null ? [] : [chunkOf(tail, endSegment - firstSegment - 1)]),
  ];
  const [startMs, endMs] = [msOfFrame(frames.first, frameRate), msOfFrame(frames.end, frameRate)];
  return {
    cut: {
      source,
      startMs,
      endMs,
      mediaStartMs: startMs,
      mediaEndMs: endMs,
      frames,
      firstSegment,
      endSegment,
      hasHead: head !== null,
      hasTail: tail !== null,
    },
    plan: {
      video: {
        source: video.source,
        grid,
        rungs: pictures.map((row) => ({ ...rungOf(row, video.ladder), name: clipRenditionName(row.name) })),
        frameCount: chunks.reduce((sum, chunk) => sum + chunk.frameCount, 0),
        chunks,
        holdsLastPicture: video.holdsLastPicture,
      },
      audio: [],
      audioSegmentSeconds: { num: framesPerSegment * frameRate.den, den: frameRate.num },
      durationMs: endMs - startMs,
      ...(source.montage === undefined ? {} : { montage: source.montage }),
      ...(source.watermark === undefined ? {} : { watermark: source.watermark }),
    },
  };
}

const chunkOf = ({ first, end }: FrameRange, firstSegment: number): VideoChunk => ({
  firstFrame: first,
  frameCount: end - first,
  firstSegment,
});

/** The source itself, as the top rung, has segments on the ladder's grid. */
const framesOf = ({ segments, timescale }: Row, { num, den }: VideoPlan["grid"]["frameRate"]): number =>
  Math.round((ticksOf(segments.durationTicks) * num) / (timescale * den));

const ticksOf = (ticks: readonly number[]) => ticks.reduce((sum, one) => sum + one, 0);

/** How an edge of a rendition is encoded: as the rendition was, or, of the source itself, as the rung that it stands for. */
function rungOf({ name, origin }: Row, ladder: readonly VideoRung[]): VideoRung {
  const rung = origin === "passthrough" ? ladder[0] : ladder.find((one) => one.name === name);
  if (rung === undefined) throw new Error(`a clip of a rendition that is no rung: ${name}`);
  return rung;
}

/** Without a picture, the segments of the first sound decide. */
function planSound(
  source: ClipSource,
  range: ClipRange,
  [row]: readonly Row[],
): { cut: ClipCut; plan: EncodingPlan } | null {
  if (row === undefined) return null;
  const times = segmentTimes(row);
  const inMs = (ticks: number) => (ticks * 1000) / row.timescale;
  const startOf = (n: number) => times[n]!.startSeconds * 1000;
  const ends = times.map(({ durationTicks }, n) => startOf(n) + inMs(durationTicks));
  const endMs = Math.min(range.endMs ?? Infinity, ends.at(-1) ?? 0);
  const { startMs } = range;
  if (startMs >= endMs) return null;
  const firstSegment = ends.findIndex((end) => end > startMs);
  const last = ends.findIndex((end) => end >= endMs);
  const startsAt = startOf(firstSegment);
  const isHeadCut = startMs > startsAt || (firstSegment === last && endMs < ends[last]!);
  return {
    cut: {
      source,
      startMs,
      endMs,
      mediaStartMs: inMs(times[firstSegment]!.mediaTicks) + startMs - startsAt,
      mediaEndMs: inMs(times[last]!.mediaTicks) + endMs - startOf(last),
      frames: null,
      firstSegment,
      endSegment: last + 1,
      hasHead: isHeadCut,
      hasTail: firstSegment !== last && endMs < ends[last]!,
    },
    plan: { video: null, audio: [], audioSegmentSeconds: { num: 4, den: 1 }, durationMs: endMs - startMs },
  };
}
