import type { Rendition } from "./model.ts";

/** Segments of a rendition that follow each other without a break and need one init segment. */
export interface Stretch {
  first: number;
  count: number;
  initFile: string;
  /** Decode time of its first sample. */
  startTicks: number;
  /** Epoch ms; null for what was not broadcast. */
  capturedAtMs: number | null;
  /** Players must not take it that timestamps go on from the stretch before. */
  isDiscontinuous: boolean;
  /** The rendition has nothing here, others have. */
  isGap: boolean;
}

/** In order; one for what was not broadcast. Every rendition of an asset has as many, and each begins at the same segment. */
export function stretchesOf({ segments: { bytes, spans } }: Rendition): Stretch[] {
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
