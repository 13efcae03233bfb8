/** Clips of recordings, which have no source: their edges are decoded from the segments themselves. Pure. */
import type { ClipRange, VideoRung } from "../../../protocol/jobs.ts";
import type { Fraction } from "../../../protocol/source-facts.ts";
import { planGrid } from "../../../protocol/ladder.ts";
import { clipRenditionName } from "../../media/clips/shared-rendition.ts";
import { framesBefore } from "../../media/clips/clip-range.ts";
import { segmentTimes } from "../../media/clips/segment-times.ts";
import type { Rendition } from "../../media/manifest/model.ts";
import type { ClipCut, ClipSource, EdgeSource } from "./clip-cut.ts";
import type { EncodingPlan, VideoChunk } from "./plan.ts";

type Row = Pick<
  Rendition,
  "name" | "segments" | "timescale" | "widthPx" | "heightPx" | "frameRateNum" | "frameRateDen"
>;

/** Close to what live encoders make. */
const EDGE_CRF = 21;
const RATE_FACTOR = 2;
const LEAST_RATE_BPS = 300_000;

/**
 * Frames are counted in each segment, from its start. A segment without a picture is taken whole.
 *
 * @param pictures of the recording, the largest first; at least one
 * @returns null when nothing is between the times
 */
export function planRecordedClip(
  source: ClipSource,
  range: ClipRange,
  pictures: readonly Row[],
): { cut: ClipCut; plan: EncodingPlan } | null {
  const [largest] = pictures;
  if (largest === undefined) return null;
  const frameRate = { num: largest.frameRateNum ?? 30, den: largest.frameRateDen ?? 1 };
  const times = segmentTimes(largest);
  const framesIn = (n: number) => Math.max(1, framesOf(times[n]!.durationTicks, largest.timescale, frameRate));
  const startOf = (n: number) => times[n]!.startSeconds * 1000;
  const before = (n: number, ms: number) => Math.min(framesIn(n), framesBefore(ms - startOf(n), frameRate));

  let first = Math.max(
    0,
    times.findLastIndex((_, n) => startOf(n) <= range.startMs + 0.5),
  );
  let from = before(first, range.startMs);
  if (from === framesIn(first)) [first, from] = [first + 1, 0];
  if (first >= times.length) return null;
  const last =
    range.endMs === null
      ? times.length - 1
      : times.findLastIndex((_, n) => before(n, range.endMs!) > 0 && startOf(n) < range.endMs!);
  if (last < first) return null;
  const until = range.endMs === null ? framesIn(last) : before(last, range.endMs);
  if (first === last && until <= from) return null;

  const isOne = first === last;
  const hasHead = !times[first]!.isGap && (from > 0 || (isOne && until < framesIn(first)));
  const hasTail = !isOne && !times[last]!.isGap && until < framesIn(last);
  const chunks: VideoChunk[] = [
    ...(hasHead ? [{ firstFrame: from, frameCount: (isOne ? until : framesIn(first)) - from, firstSegment: 0 }] : []),
    ...(hasTail ? [{ firstFrame: 0, frameCount: until, firstSegment: last - first }] : []),
  ];
  const edges = [...(hasHead ? [first] : []), ...(hasTail ? [last] : [])].map((segment): EdgeSource => ({
    rendition: largest.name,
    initFile: times[segment]!.initFile,
    segment,
    mediaSeconds: times[segment]!.mediaTicks / largest.timescale,
  }));
  const frameMs = (1000 * frameRate.den) / frameRate.num;
  const [skippedMs, keptMs] = [hasHead ? from * frameMs : 0, lengthOf(last)];
  function lengthOf(n: number): number {
    const isCut = n === first && isOne ? hasHead : hasTail;
    return isCut ? until * frameMs : (times[n]!.durationTicks * 1000) / largest!.timescale;
  }
  const mediaMs = (n: number) => (times[n]!.mediaTicks * 1000) / largest.timescale;
  const [startMs, endMs] = [startOf(first) + skippedMs, startOf(last) + keptMs];
  const { framesPerGop } = planGrid(frameRate);
  const longest = Math.max(1, ...chunks.map(({ frameCount }) => frameCount));
  const { widthPx, heightPx } = largest;
  return {
    cut: {
      source,
      startMs,
      endMs,
      mediaStartMs: mediaMs(first) + skippedMs,
      mediaEndMs: mediaMs(last) + keptMs,
      frames: null,
      firstSegment: first,
      endSegment: last + 1,
      hasHead,
      hasTail,
      edges,
    },
    plan: {
      video: {
        source: {
          streamIndex: 0,
          codec: "h264",
          widthPx: widthPx ?? 0,
          heightPx: heightPx ?? 0,
          rotationDegrees: 0,
          frameRate,
          variableFrameRate: false,
          interlaced: false,
          bitDepth: 8,
          hdr: null,
          startMs: 0,
          durationMs: longest * frameMs,
          bitrateBps: 0,
        },
        // An edge is one segment, however long those of the recording are.
        grid: { frameRate, framesPerGop, framesPerSegment: framesPerGop * Math.ceil(longest / framesPerGop) },
        rungs: pictures.map(edgeRung),
        frameCount: chunks.reduce((sum, chunk) => sum + chunk.frameCount, 0),
        chunks,
        holdsLastPicture: true, // the last picture of a segment lasts until the next segment
      },
      audio: [],
      audioSegmentSeconds: { num: 4, den: 1 },
      durationMs: endMs - startMs,
    },
  };
}

const framesOf = (ticks: number, timescale: number, { num, den }: Fraction): number =>
  Math.round((ticks * num) / (timescale * den));

function edgeRung({ name, segments, timescale, widthPx, heightPx }: Row): VideoRung {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const averageBps = (sum(segments.bytes) * 8 * timescale) / Math.max(1, sum(segments.durationTicks));
  return {
    name: edgeName(name),
    widthPx: widthPx ?? 2,
    heightPx: heightPx ?? 2,
    crf: EDGE_CRF,
    maxBitrateBps: Math.round(Math.max(LEAST_RATE_BPS, RATE_FACTOR * averageBps)),
    preset: "veryfast",
  };
}

/** The encoder's objects of an edge, whose times begin at 0. */
export const edgeName = (name: string): string => `edge-${clipRenditionName(name)}`;
