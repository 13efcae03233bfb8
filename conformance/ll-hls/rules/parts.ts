import { placeOf } from "../attributes.ts";
import { fullPlaylists, type RenditionEvidence } from "../evidence.ts";
import type { Part, Segment } from "../playlist.ts";
import { must, type Rule } from "../rule.ts";

const LEAST = 0.85;
/** Tolerance for the rounding of one duration. */
const ROUNDING_S = 0.001;

export interface ListedSegment {
  segment: Segment;
  /** A playlist that lists it. */
  url: string;
  partTargetS: number | null;
  /** Whether its discontinuity sequence number was the same in all playlists. */
  isSteady: boolean;
}

/** Each segment once, as it was listed with the most parts, in the order of their numbers. */
export function segmentsOf(rendition: RenditionEvidence): ListedSegment[] {
  const found = new Map<number, ListedSegment>();
  for (const { playlist, url } of fullPlaylists(rendition))
    for (const segment of playlist.segments) {
      const known = found.get(segment.msn);
      const isSteady =
        known === undefined ||
        (known.isSteady && known.segment.discontinuitySequence === segment.discontinuitySequence);
      // The segment is whole, but not all of its parts were seen before their removal, so it does not count as complete.
      const isWholeNow = known?.segment.uri === null && segment.uri !== null;
      const isMore = known === undefined || isWholeNow || segment.parts.length >= known.segment.parts.length;
      if (isMore) found.set(segment.msn, { segment, url, partTargetS: playlist.partTargetS, isSteady });
      else known.isSteady = isSteady;
    }
  return [...found.values()].toSorted((a, b) => a.segment.msn - b.segment.msn);
}

/** Whether all parts of a segment were listed. The first playlist may have contained only its last ones. */
const hasAllParts = ({ durationS, parts }: Segment) =>
  durationS !== null && Math.abs(durationS - sumOf(parts)) <= ROUNDING_S * (parts.length + 1);

/** Short parts are allowed at the end of a segment, and at or before a gap. The last part so far may be the segment's last. */
function mayBeShort({ parts }: Segment, part: Part): boolean {
  const next = parts[parts.indexOf(part) + 1];
  return next === undefined || part.isIndependent || part.isGap || next.isGap;
}

const sumOf = (parts: Part[]) => Number(parts.reduce((sum, { durationS }) => sum + durationS, 0).toFixed(5));

export const PART_RULES: Rule[] = [
  must("part-duration", "4.4.4.9", "No part is longer than PART-TARGET", ({ renditions }, report) => {
    for (const { segment, url, partTargetS } of renditions.flatMap(segmentsOf))
      for (const { durationS, line } of segment.parts) {
        if (partTargetS === null) continue;
        if (durationS <= partTargetS + ROUNDING_S) report.seen();
        else report.fault(url, `at most ${partTargetS} s`, line);
      }
  }),
  must(
    "part-duration-least",
    "4.4.4.9",
    "A part is at least 85 % of PART-TARGET, unless it is the last of its segment, independent or a gap",
    ({ renditions }, report) => {
      for (const { segment, url, partTargetS } of renditions.flatMap(segmentsOf))
        for (const part of segment.parts) {
          if (partTargetS === null || mayBeShort(segment, part)) continue;
          if (part.durationS >= LEAST * partTargetS - ROUNDING_S) report.seen();
          else report.fault(url, `at least ${(LEAST * partTargetS).toFixed(3)} s`, part.line);
        }
    },
  ),
  must("part-sum", "3.2", "The parts of a segment last as long as the segment", ({ renditions }, report) => {
    for (const rendition of renditions) {
      const listed = segmentsOf(rendition).filter(({ segment: { parts } }) => parts.length > 0);
      // The oldest segment with parts may have lost its first ones before the first playlist.
      for (const { segment, url } of listed.slice(1)) {
        const { durationS, parts, uri } = segment;
        if (durationS === null) continue;
        if (hasAllParts(segment)) report.seen();
        else report.fault(url, `EXTINF:${durationS}: ${uri}`, `${parts.length} parts of ${sumOf(parts)} s`);
      }
    }
  }),
  must("gaps", "6.2.1", "The parts of a segment with EXT-X-GAP have GAP=YES", ({ renditions }, report) => {
    for (const { segment, url } of renditions.flatMap(segmentsOf)) {
      if (!segment.isGap) continue;
      const part = segment.parts.find(({ isGap }) => !isGap);
      if (part === undefined) report.seen();
      else report.fault(url, `GAP=YES on each part of ${segment.msn}`, part.line);
    }
  }),
  must("hint", "4.4.5.3", "EXT-X-PRELOAD-HINT refers to the next part", ({ renditions }, report) => {
    for (const rendition of renditions) {
      const listed = segmentsOf(rendition);
      const order = listed.flatMap(({ segment }, at) =>
        segment.parts.map((part, index) => {
          const before = listed[at - 1]?.segment;
          // Parts between segments that were not listed part by part may have been missed.
          const isSure = index > 0 || (before?.msn === segment.msn - 1 && hasAllParts(before));
          return { part, segment, isSure };
        }),
      );
      const after = new Map(order.map(({ part }, index) => [placeOf(part.uri, part.range), order[index + 1]]));
      for (const { playlist, url } of fullPlaylists(rendition)) {
        const last = playlist.segments.findLast(({ parts }) => parts.length > 0)?.parts.at(-1);
        const hint = playlist.hints.find(({ type }) => type === "PART");
        const next = last === undefined ? undefined : after.get(placeOf(last.uri, last.range));
        if (hint === undefined || next === undefined || !next.isSure) continue;
        // A server may change its plan at a discontinuity (§6.2.6).
        const isNext = hint.uri === next.part.uri && (hint.range?.offset ?? 0) === (next.part.range?.offset ?? 0);
        if (isNext || next.segment.isDiscontinuous || next.part.isGap) report.seen();
        else report.fault(url, hint.line, `came next: ${next.part.line}`);
      }
    }
  }),
];
