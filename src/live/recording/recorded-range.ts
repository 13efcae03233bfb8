import type { SegmentList, Span } from "../../media/types.ts";
import type { RecordedRendition } from "../origin/recorded-session.ts";

/** A stretch of a rendition's lists and what is needed of the segments before it. */
export interface ListWindow {
  durationTicks: number[];
  bytes: number[];
  /** The span that the stretch begins in; null for lists without spans. */
  entered: Span | null;
  /** From the beginning of `entered` to the stretch. */
  passedTicks: number;
  /** Spans that begin after the stretch's first segment, by sequence number. */
  later: Span[];
}

/** A stretch of a list. Its first span begins where the range does. Pure. */
export function renditionOf(name: string, timescale: number, window: ListWindow, first: number): RecordedRendition {
  const { durationTicks, bytes } = window;
  return { name, timescale, segments: { durationTicks, bytes, keyframes: [], ...spansOf(window, timescale, first) } };
}

function spansOf({ entered, passedTicks, later }: ListWindow, timescale: number, first: number) {
  if (entered === null) return {};
  const startTicks = entered.startTicks + passedTicks;
  const capturedAtMs = entered.capturedAtMs + (passedTicks / timescale) * 1000;
  const begun: Span = { ...entered, first: 0, startTicks, capturedAtMs, isDiscontinuous: false };
  const spans = [begun, ...later.map((span) => ({ ...span, first: span.first - first }))];
  return { spans } satisfies Pick<SegmentList, "spans">;
}
