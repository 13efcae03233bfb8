import { type Presentation, secondsOf } from "../manifest/model.ts";
import { type RenditionSpan, spansOf } from "../manifest/spans.ts";

/** A Period of the MPD (ISO/IEC 23009-1 §5.3.2): one span in every rendition. */
export interface Period {
  /** On the presentation's timeline. */
  startSeconds: number;
  /** Media time at its start, common to audio and video for synchronization. */
  mediaSeconds: number;
  /** By rendition name. */
  spans: Map<string, RenditionSpan>;
  /** Renditions without media in this Period. */
  missing: Set<string>;
}

/** Spans without media in any rendition are left out of the timeline. */
export function periodsOf({ videoSets, audio, endSeconds }: Presentation): { periods: Period[]; endSeconds: number } {
  const all = [...videoSets.flat(), ...audio].map((row) => ({ row, spans: spansOf(row) }));
  const periods: Period[] = [];
  let startSeconds = 0;
  for (let n = 0; n < (all[0]?.spans.length ?? 0); n += 1) {
    const here = all.map(({ row, spans }) => ({ row, span: spans[n]! }));
    const leader = here.find(({ span }) => !span.isGap); // the video if there is one, as it comes first
    if (leader === undefined) continue;
    const { row, span } = leader;
    periods.push({
      startSeconds,
      mediaSeconds: span.startTicks / row.timescale,
      spans: new Map(here.map((one) => [one.row.name, one.span])),
      missing: new Set(here.filter((one) => one.span.isGap).map((one) => one.row.name)),
    });
    const ticks = row.segments.durationTicks.slice(span.first, span.first + span.count);
    startSeconds += secondsOf({ ...row, segments: { ...row.segments, durationTicks: ticks } });
  }
  const isBroadcast = all.some(({ row }) => row.segments.spans !== undefined);
  return { periods, endSeconds: isBroadcast ? startSeconds : endSeconds };
}
