/** The rows of a clip's renditions, and where their segments are, out of those of its owner and of the clip's own segments. Pure. */
import type { InitFacts, SegmentFacts } from "../../../protocol/jobs.ts";
import { clipRenditionName, type SharedRendition, type SharedRun } from "../../media/clips/shared-rendition.ts";
import { segmentTimes, type SegmentTime } from "../../media/clips/segment-times.ts";
import { rowFormatAt, type RowFormat } from "../../media/manifest/formats.ts";
import type { Rendition, RenditionFacts } from "../../media/manifest/model.ts";
import type { SegmentList, Span, VersionedFormat } from "../../media/types.ts";
import type { ClipCut } from "./clip-cut.ts";

type ClipRow = RenditionFacts & { assetId: string };

/** One of the clip's own segments, with the decode time of its first sample if that does not follow from the frames. */
export interface OwnSegment extends SegmentFacts {
  startTicks?: number;
}

/** A rendition of the owner, and the clip's own segments of it. */
export interface CutRendition {
  row: Rendition;
  /** That of the clip; absent = `clip-` and the owner's. */
  name?: string;
  head: OwnSegment | null;
  tail: OwnSegment | null;
  /** Of the clip's own segments; null = they need the owner's, byte for byte, or there are none. */
  ownInit: InitFacts | null;
}

/** Consecutive segments of the clip that are all shared, or all its own. */
interface Part {
  first: number;
  count: number;
  isOwn: boolean;
}

function partsOf({ firstSegment, endSegment, hasHead, hasTail }: ClipCut): Part[] {
  const count = endSegment - firstSegment;
  const [first, end] = [hasHead ? 1 : 0, count - (hasTail ? 1 : 0)];
  return [
    ...(hasHead ? [{ first: 0, count: 1, isOwn: true }] : []),
    ...(end > first ? [{ first, count: end - first, isOwn: false }] : []),
    ...(hasTail ? [{ first: end, count: 1, isOwn: true }] : []),
  ];
}

/**
 * All renditions of a clip have the same spans, as those of a recording have: one, unless an edge of some rendition needs another init segment than
 * what it shares. Players then begin anew at the shared segments and at the last one, with the next frame.
 */
export function assembleClip(
  clipId: string,
  cut: ClipCut,
  renditions: readonly CutRendition[],
): { row: ClipRow; shared: SharedRendition }[] {
  const parts = partsOf(cut);
  const isSplit = parts.length > 1 && renditions.some(({ ownInit }) => ownInit !== null);
  return renditions.map((one) => assembleOne(clipId, cut, one, { parts, isSplit }));
}

interface Partition {
  parts: Part[];
  isSplit: boolean;
}

function assembleOne(
  clipId: string,
  cut: ClipCut,
  { row, name = clipRenditionName(row.name), head, tail, ownInit }: CutRendition,
  partition: Partition,
): { row: ClipRow; shared: SharedRendition } {
  const times = segmentTimes(row);
  // Those of the source itself have a timescale of their own; its edges have that of the ladder.
  const timescale = row.origin === "passthrough" ? (row.frameRateNum ?? row.timescale) : row.timescale;
  const starts = spanStarts(cut, times, partition);
  const inits: SharedRendition["inits"] = [];
  const versionOf = (init: SharedRendition["inits"][number]) => {
    if (!inits.includes(init)) inits.push(init);
    return inits.indexOf(init);
  };
  const spans: Span[] = [];
  const runs: SharedRun[] = [];
  const cuts = [...new Set([...starts, ...partition.parts.map(({ first }) => first)])].toSorted((a, b) => a - b);
  for (const [position, first] of cuts.entries()) {
    const time = times[cut.firstSegment + first]!;
    const isOwn = partition.parts.find((part) => part.first <= first && first < part.first + part.count)!.isOwn;
    const initVersion = versionOf(isOwn && ownInit !== null ? "own" : time.initFile);
    const count = (cuts[position + 1] ?? cut.endSegment - cut.firstSegment) - first;
    runs.push({ first, count, initVersion, ownerFirst: isOwn ? null : cut.firstSegment + first });
    if (!starts.includes(first)) continue;
    const own = first === 0 ? head : null;
    spans.push({
      first,
      initVersion,
      startTicks: own?.startTicks ?? startOf(cut, row, first, { timescale, mediaTicks: time.mediaTicks }),
      capturedAtMs: null,
      isDiscontinuous: first > 0 && (partition.isSplit || time.isDiscontinuous),
    });
  }
  const list = segmentsOf(cut, row, { head, tail, timescale });
  const own = [head, tail].filter((segment) => segment !== null);
  const isOfOne = inits.length === 1;
  const segments: SegmentList = {
    ...list,
    ...(isOfOne ? {} : { keyframes: list.keyframes.map(() => []) }), // those of several init segments are not listed
    ownBytes: own.reduce((sum, { bytes }) => sum + bytes, ownInit?.bytes ?? 0),
    spans,
    ...(isOfOne || row.kind !== "video" ? {} : { formats: formatsOf(row, inits, ownInit) }),
  };
  return {
    row: {
      ...row,
      assetId: clipId,
      name,
      origin: "ladder",
      isTopRung: false,
      isWhole: true,
      arrivedSegments: null,
      timescale,
      codec: inits[0] === "own" ? ownInit!.codec : row.codec,
      segments,
    },
    shared: { ownerId: cut.source.ownerId, rendition: row.name, inits, runs },
  };
}

/** Where spans of the clip begin: at its parts, if those are spans, and where spans of the owner begin. */
function spanStarts(cut: ClipCut, times: readonly SegmentTime[], { parts, isSplit }: Partition): number[] {
  const owned = Array.from({ length: cut.endSegment - cut.firstSegment }, (_, n) => n).filter(
    (n) => times[cut.firstSegment + n]!.beginsSpan,
  );
  return [...new Set([0, ...(isSplit ? parts.map(({ first }) => first) : []), ...owned])].toSorted((a, b) => a - b);
}

/** By version. */
function formatsOf(row: Rendition, inits: SharedRendition["inits"], ownInit: InitFacts | null): VersionedFormat[] {
  const rate = ({ frameRateNum, frameRateDen }: RowFormat) =>
    frameRateNum === null ? null : frameRateNum / (frameRateDen ?? 1);
  return inits.map((init, version) => {
    const format = init === "own" ? row : rowFormatAt(row, Number(init.slice("init-".length)) || 0);
    const { widthPx, heightPx } = format;
    const codec = init === "own" ? (ownInit?.codec ?? row.codec) : format.codec;
    return { version, codec, widthPx, heightPx, frameRate: rate(format) };
  });
}

/** The decode time at which a span starts. Of the picture it follows from the frames, of sound from the owner's list. */
function startOf(
  { frames }: ClipCut,
  { kind, frameRateNum, frameRateDen, timescale: from }: Rendition,
  segment: number,
  { timescale, mediaTicks }: { timescale: number; mediaTicks: number },
): number {
  if (segment > 0 || kind !== "video" || frames === null) return Math.round((mediaTicks * timescale) / from);
  return (frames.first * (frameRateDen ?? 1) * timescale) / (frameRateNum ?? timescale);
}

interface Own {
  head: OwnSegment | null;
  tail: OwnSegment | null;
  timescale: number;
}

/** Own segments of the picture count in the numerator of the frame rate, those of sound in its rate. */
function segmentsOf(
  { firstSegment, endSegment }: ClipCut,
  { kind, segments, timescale: from, frameRateNum }: Rendition,
  { head, tail, timescale }: Own,
): Pick<SegmentList, "durationTicks" | "bytes" | "keyframes"> {
  const last = endSegment - firstSegment - 1;
  const ownScale = kind === "video" ? timescale / (frameRateNum ?? timescale) : 1;
  const facts = Array.from({ length: last + 1 }, (_, n): SegmentFacts => {
    const own = n === 0 && head !== null ? head : n === last ? tail : null;
    if (own !== null) return { ...own, durationTicks: Math.round(own.durationTicks * ownScale) };
    return {
      durationTicks: Math.round((segments.durationTicks[firstSegment + n]! * timescale) / from),
      bytes: segments.bytes[firstSegment + n]!,
      keyframes: segments.keyframes[firstSegment + n] ?? [],
    };
  });
  return {
    durationTicks: facts.map(({ durationTicks }) => durationTicks),
    bytes: facts.map(({ bytes }) => bytes),
    keyframes: facts.map(({ keyframes }) => keyframes),
  };
}
