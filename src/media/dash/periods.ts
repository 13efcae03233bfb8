import type { Presentation } from "../manifest/model.ts";
import { type RenditionSpan, spansOf, type TimedSpan, timedSpans } from "../manifest/spans.ts";

/** A Period of the MPD (ISO/IEC 23009-1 §5.3.2): one span in every rendition. */
export interface Period {
  /** On the presentation's timeline. */
  startSeconds: number;
  /** Media time at its start, common to audio and video for synchronization. */
  mediaSeconds: number;
  /** Its place on the timeline of HLS, which subtitles have. */
  timed: TimedSpan;
  /** By rendition name. */
  spans: Map<string, RenditionSpan>;
  /** Renditions without media in this Period. */
  missing: Set<string>;
}

/** Spans without media in any rendition are left out of the timeline. */
export function periodsOf({ videoSets, audio, endSeconds }: Presentation): { periods: Period[]; endSeconds: number } {
  const rows = [...videoSets.flat(), ...audio];
  const all = rows.map((row) => ({ row, spans: spansOf(row) }));
  const periods: Period[] = [];
  let startSeconds = 0;
  for (const [n, timed] of timedSpans(rows).entries()) {
    if (timed.isEmpty) continue;
    const here = all.map(({ row, spans }) => ({ row, span: spans[n]! }));
    periods.push({
      startSeconds,
      mediaSeconds: timed.mediaSeconds,
      timed,
      spans: new Map(here.map((one) => [one.row.name, one.span])),
      missing: new Set(here.filter((one) => one.span.isGap).map((one) => one.row.name)),
    });
    startSeconds += timed.durationSeconds;
  }
  const isBroadcast = rows.some(({ segments }) => segments.spans !== undefined);
  return { periods, endSeconds: isBroadcast ? startSeconds : endSeconds };
}
