import type { SegmentList, Span } from "../assets/types.ts";
import { findRangeIn, type RangeAnswer } from "./clips-range.ts";
import type { RecordedRendition, SegmentRange } from "./recording-lists.ts";

/** `findRange` over a recording's lists: the segments of a session whose live index was deleted. Pure. */
export function findRangeInLists(lists: RecordedRendition[], startSeconds: number, endSeconds: number): RangeAnswer {
  const edge = Math.max(0, ...lists.map(({ segments }) => segments.bytes.length)) - 1;
  const lengthAt = (position: number): number => {
    const best = lists.find(({ segments }) => (segments.bytes[position] ?? 0) > 0) ?? lists[0];
    return best === undefined ? 0 : (best.segments.durationTicks[position] ?? 0) / best.timescale;
  };
  return findRangeIn({ edge, hasEnded: true, from: { msn: 0, seconds: 0 }, lengthAt }, startSeconds, endSeconds);
}

/** A stretch of a list. Its first span begins where the range does. Pure. */
export function sliceList({ name, timescale, segments }: RecordedRendition, range: SegmentRange): RecordedRendition {
  const { first, last } = range;
  const cut = <T>(values: T[]): T[] => values.slice(first, last + 1);
  const spans = spansWithin(segments, range, timescale);
  return {
    name,
    timescale,
    segments: { durationTicks: cut(segments.durationTicks), bytes: cut(segments.bytes), keyframes: [], ...spans },
  };
}

function spansWithin({ spans, durationTicks }: SegmentList, { first, last }: SegmentRange, timescale: number) {
  if (spans === undefined) return {};
  const entered = spans.findLast((span) => span.first <= first);
  const begun: Span[] = [];
  if (entered !== undefined) {
    const passedTicks = durationTicks.slice(entered.first, first).reduce((sum, ticks) => sum + ticks, 0);
    const startTicks = entered.startTicks + passedTicks;
    const capturedAtMs = entered.capturedAtMs + (passedTicks / timescale) * 1000;
    begun.push({ ...entered, first: 0, startTicks, capturedAtMs, isDiscontinuous: false });
  }
  const later = spans.filter((span) => span.first > first && span.first <= last);
  return { spans: [...begun, ...later.map((span) => ({ ...span, first: span.first - first }))] };
}
