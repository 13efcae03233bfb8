/** The rows of a clip's renditions, and where their segments are, out of those of its owner and of the clip's own segments. Pure. */
import type { InitFacts, SegmentFacts } from "../../../protocol/jobs.ts";
import { clipRenditionName, type SharedRendition, type SharedRun } from "../../media/clips/shared-rendition.ts";
import type { Rendition } from "../../media/manifest/model.ts";
import type { SegmentList, Span, VersionedFormat } from "../../media/types.ts";
import type { RenditionRow } from "./assemble.ts";
import type { ClipCut } from "./clip-plan.ts";

/** One of the clip's own segments. Sound: with the decode time of its first frame. */
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
): { row: RenditionRow; shared: SharedRendition }[] {
  const parts = partsOf(cut);
  const isSplit = parts.length > 1 && renditions.some(({ ownInit }) => ownInit !== null);
  return renditions.map((one) => assembleOne(clipId, cut, one, { parts, isSplit }));
}

function assembleOne(
  clipId: string,
  cut: ClipCut,
  { row, name = clipRenditionName(row.name), head, tail, ownInit }: CutRendition,
  { parts, isSplit }: { parts: Part[]; isSplit: boolean },
): { row: RenditionRow; shared: SharedRendition } {
  const hasShared = parts.some(({ isOwn }) => !isOwn);
  const inits: SharedRendition["inits"] =
    ownInit === null ? ["owner"] : hasShared && parts.length > 1 ? ["own", "owner"] : [hasShared ? "owner" : "own"];
  const versionOf = (part: Part) => (inits.length > 1 && !part.isOwn ? 1 : 0);
  const runs = parts.map((part): SharedRun => ({
    first: part.first,
    count: part.count,
    initVersion: versionOf(part),
    ownerFirst: part.isOwn ? null : cut.firstSegment + part.first,
  }));
  const timescale = row.kind === "video" ? (row.frameRateNum ?? row.timescale) : row.timescale;
  const startTicks = startsOf(cut, row, { head, timescale });
  const list = segmentsOf(cut, row, { head, tail, timescale });
  const spans = (isSplit ? parts : [{ ...parts[0]!, first: 0 }]).map((part, n): Span => ({
    first: part.first,
    initVersion: isSplit ? versionOf(part) : 0,
    startTicks: startTicks(part.first),
    capturedAtMs: null,
    isDiscontinuous: n > 0,
  }));
  const own = [head, tail].filter((segment) => segment !== null);
  const segments: SegmentList = {
    ...list,
    ...(isSplit ? { keyframes: list.keyframes.map(() => []) } : {}), // those of several init segments are not listed
    ownBytes: own.reduce((sum, { bytes }) => sum + bytes, ownInit?.bytes ?? 0),
    spans,
    ...(inits.length > 1 && row.kind === "video" ? { formats: formatsOf(row, ownInit!) } : {}),
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

const formatsOf = (row: Rendition, ownInit: InitFacts): VersionedFormat[] => {
  const { widthPx, heightPx, frameRateNum, frameRateDen } = row;
  const frameRate = frameRateNum === null ? null : frameRateNum / (frameRateDen ?? 1);
  return [ownInit.codec, row.codec].map((codec, version) => ({ version, codec, widthPx, heightPx, frameRate }));
};

interface Own {
  head: OwnSegment | null;
  timescale: number;
}

/** The decode time at which a segment of the clip starts. Of the picture it follows from the frames, of sound from the owner's list. */
function startsOf(cut: ClipCut, row: Rendition, { head, timescale }: Own): (segment: number) => number {
  return (segment) => {
    if (segment === 0 && head?.startTicks !== undefined) return head.startTicks;
    if (segment === 0 && row.kind === "video" && cut.frames !== null) return cut.frames.first * (row.frameRateDen ?? 1);
    let ticks = 0;
    for (const duration of row.segments.durationTicks.slice(0, cut.firstSegment + segment)) ticks += duration;
    return Math.round((ticks * timescale) / row.timescale);
  };
}

function segmentsOf(
  { firstSegment, endSegment }: ClipCut,
  { segments, timescale: from }: Rendition,
  { head, tail, timescale }: Own & { tail: OwnSegment | null },
): Pick<SegmentList, "durationTicks" | "bytes" | "keyframes"> {
  const last = endSegment - firstSegment - 1;
  const facts = Array.from({ length: last + 1 }, (_, n): SegmentFacts => {
    const own = n === 0 && head !== null ? head : n === last ? tail : null;
    if (own !== null) return own;
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
