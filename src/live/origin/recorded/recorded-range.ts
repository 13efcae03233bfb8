import type { SegmentList, Span } from "../../../media/types.ts";
import type { RecordedList } from "./recorded-session.ts";

/** A range of a rendition's lists, with the state that earlier segments determine. */
export interface ListWindow {
  durationTicks: number[];
  bytes: number[];
  /** The span that contains the range's start; null for lists without spans. */
  entered: Span | null;
  /** From the start of `entered` to the start of the range. */
  passedTicks: number;
  /** Spans that start after the range's first segment, in ascending order. */
  later: Span[];
}

/** The rendition cut to a range. Its first span starts with the range. Pure. */
export function renditionOf(name: string, timescale: number, window: ListWindow, first: number): RecordedList {
  const { durationTicks, bytes } = window;
  return { name, timescale, segments: { durationTicks, bytes, keyframes: [], ...spansOf(window, timescale, first) } };
}

function spansOf({ entered, passedTicks, later }: ListWindow, timescale: number, first: number) {
  if (entered === null) return {};
  const startTicks = entered.startTicks + passedTicks;
  const capturedAtMs = entered.capturedAtMs === null ? null : entered.capturedAtMs + (passedTicks / timescale) * 1000;
  const begun: Span = { ...entered, first: 0, startTicks, capturedAtMs, isDiscontinuous: false };
  const spans = [begun, ...later.map((span) => ({ ...span, first: span.first - first }))];
  return { spans } satisfies Pick<SegmentList, "spans">;
}
