import type { Rendition } from "./model.ts";

/** The segments of one rendition in one `Span`. On-demand media consist of a single span. */
export interface RenditionSpan {
  first: number;
  count: number;
  initFile: string;
  /** Decode time of its first sample. */
  startTicks: number;
  /** Epoch ms; null for on-demand media. */
  capturedAtMs: number | null;
  /** Timestamps are not continuous with the span before. */
  isDiscontinuous: boolean;
  /** This rendition has no media in the span; others do. */
  isGap: boolean;
}

/** In order. All renditions of an asset have the same number of spans, which begin at the same segments. */
export function spansOf({ segments: { bytes, spans } }: Rendition): RenditionSpan[] {
  if (spans === undefined)
    return [
      {
        first: 0,
        count: bytes.length,
        initFile: "init.mp4",
        startTicks: 0,
        capturedAtMs: null,
        isDiscontinuous: false,
        isGap: false,
      },
    ];
  return spans.map(({ initVersion, ...span }, position) => ({
    ...span,
    count: (spans[position + 1]?.first ?? bytes.length) - span.first,
    initFile: `init-${initVersion}.mp4`,
    isGap: bytes[span.first] === 0,
  }));
}
