import type { Rendition } from "./model.ts";

/** The segments of one rendition in one `Span`. On-demand media consist of a single span. */
export interface RenditionSpan {
  first: number;
  count: number;
  initFile: string;
  initVersion: number; // 0 for on-demand media
  /** Decode time of its first sample. */
  startTicks: number;
  /** Epoch ms; null for on-demand media. */
  capturedAtMs: number | null;
  /** Timestamps are not continuous with the span before. */
  isDiscontinuous: boolean;
  /** This rendition has no media in the span; others do. */
  isGap: boolean;
}

/** A span on the timelines of an asset. */
export interface TimedSpan {
  /** On the timeline of HLS, where media that is missing in every rendition takes its time. */
  startSeconds: number;
  durationSeconds: number;
  /** Media time at its start: of the picture, if it has one there. */
  mediaSeconds: number;
  isDiscontinuous: boolean;
  /** No rendition has media in it. */
  isEmpty: boolean;
}

type Timed = Pick<Rendition, "segments" | "timescale">;

/** @param rows the renditions of an asset, video first */
export function timedSpans(rows: Timed[]): TimedSpan[] {
  const all = rows.map((row) => ({ row, spans: spansOf(row) }));
  let startSeconds = 0;
  return (all[0]?.spans ?? []).map((_, n) => {
    const here = all.map(({ row, spans }) => ({ row, span: spans[n]! }));
    const { row, span } = here.find((one) => !one.span.isGap) ?? here[0]!;
    const ticks = row.segments.durationTicks.slice(span.first, span.first + span.count);
    const timed = {
      startSeconds,
      durationSeconds: ticks.reduce((sum, one) => sum + one, 0) / row.timescale,
      mediaSeconds: span.startTicks / row.timescale,
      isDiscontinuous: span.isDiscontinuous,
      isEmpty: span.isGap,
    };
    startSeconds += timed.durationSeconds;
    return timed;
  });
}

/** In order. All renditions of an asset have the same number of spans, which begin at the same segments. */
export function spansOf({ segments: { bytes, spans } }: Pick<Rendition, "segments">): RenditionSpan[] {
  if (spans === undefined)
    return [
      {
        first: 0,
        count: bytes.length,
        initFile: "init.mp4",
        initVersion: 0,
        startTicks: 0,
        capturedAtMs: null,
        isDiscontinuous: false,
        isGap: false,
      },
    ];
  return spans.map((span, position) => ({
    ...span,
    count: (spans[position + 1]?.first ?? bytes.length) - span.first,
    initFile: `init-${span.initVersion}.mp4`,
    isGap: bytes[span.first] === 0,
  }));
}
