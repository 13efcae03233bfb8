import { type Presentation, type Rendition, segmentsUntil } from "../manifest/model.ts";
import type { Period } from "./periods.ts";
import { element } from "./xml.ts";

/** The SegmentTemplate of a rendition in one Period. */
export function segmentTemplate(
  row: Rendition,
  { mediaSeconds, spans }: Period,
  { isComplete, endSeconds }: Presentation,
  firstNumber: number,
): string {
  const { first, count, initFile, startTicks } = spans.get(row.name)!;
  const offsetTicks = Math.round(mediaSeconds * row.timescale);
  const end = first + (isComplete ? count : segmentsUntil(row, endSeconds));
  return element(
    "SegmentTemplate",
    {
      timescale: row.timescale,
      presentationTimeOffset: offsetTicks > 0 ? offsetTicks : null,
      startNumber: firstNumber + first,
      initialization: `$RepresentationID$/${initFile}`,
      media: "$RepresentationID$/$Number$.m4s",
    },
    element("SegmentTimeline", {}, ...timeline(row.segments.durationTicks.slice(first, end), startTicks)),
  );
}

/** Consecutive equal durations share one `S` element. */
export function timeline(durationTicks: number[], startTicks = 0): string[] {
  const entries: string[] = [];
  for (let first = 0; first < durationTicks.length;) {
    let last = first;
    while (durationTicks[last + 1] === durationTicks[first]) last += 1;
    entries.push(
      element("S", {
        t: first === 0 ? startTicks : null,
        d: durationTicks[first],
        r: last > first ? last - first : null,
      }),
    );
    first = last + 1;
  }
  return entries;
}
