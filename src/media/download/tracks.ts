import type { Rendition } from "../manifest/model.ts";
import { type RenditionSpan, spansOf } from "../manifest/spans.ts";

/** What a file for download is assembled from: its renditions, the picture first. */
export interface DownloadTracks {
  renditions: readonly [Rendition, ...Rendition[]];
  /** By rendition: `init` or `init-{version}`. */
  initFiles: string[];
  /** What to add to the decode times of a segment, in seconds, so that the file begins at 0 and has no jumps. The same for all tracks. */
  shiftSeconds: (segment: number) => number;
}

/** @returns null when a rendition has several init segments, which one track of a file cannot have, or no media */
export function downloadTracks(renditions: DownloadTracks["renditions"]): DownloadTracks | null {
  const spans = renditions.map(spansOf);
  const initFiles = spans.map(onlyInitFile).filter((file) => file !== null);
  if (initFiles.length < renditions.length) return null;
  return { renditions, initFiles, shiftSeconds: continuousTimes(renditions) };
}

/** See `DownloadTracks.shiftSeconds`. */
export function continuousTimes(renditions: DownloadTracks["renditions"]): DownloadTracks["shiftSeconds"] {
  const spans = renditions.map(spansOf);
  const [{ segments, timescale }] = renditions;
  let [position, ticks] = [0, 0];
  const starts = spans[0]!.map(({ first }, n) => {
    for (; position < first; position += 1) ticks += segments.durationTicks[position]!;
    const inRenditions = renditions.map((rendition, track) => ({ span: spans[track]![n]!, rendition }));
    const begins = inRenditions
      .filter(({ span }) => !span.isGap)
      .map(({ span, rendition }) => span.startTicks / rendition.timescale);
    return { first, shiftSeconds: begins.length === 0 ? 0 : ticks / timescale - Math.min(...begins) };
  });
  return (segment) => starts.findLast(({ first }) => first <= segment)?.shiftSeconds ?? 0;
}

function onlyInitFile(spans: RenditionSpan[]): string | null {
  const files = new Set(spans.filter(({ isGap, count }) => !isGap && count > 0).map(({ initFile }) => initFile));
  const [only] = files;
  return only !== undefined && files.size === 1 ? only.replace(/\.mp4$/, "") : null;
}
