import type { Rendition } from "../manifest/model.ts";
import { spansOf } from "../manifest/spans.ts";

/** A segment on the timelines of its media. */
export interface SegmentTime {
  /** On the timeline of HLS, which begins at 0. */
  startSeconds: number;
  /** Decode time of its first sample. */
  mediaTicks: number;
  durationTicks: number;
  isGap: boolean;
  /** Of its init segment; `init` = the media has no spans. */
  initFile: "init" | `init-${number}`;
  /** It begins a span whose timestamps are not continuous with the one before. */
  isDiscontinuous: boolean;
  /** It begins a span. */
  beginsSpan: boolean;
}

/** In order. Of a recording, each span has a clock of its own. */
export function segmentTimes({ segments, timescale }: Pick<Rendition, "segments" | "timescale">): SegmentTime[] {
  const times: SegmentTime[] = [];
  let ticks = 0;
  for (const span of spansOf({ segments })) {
    let mediaTicks = span.startTicks;
    for (let n = span.first; n < span.first + span.count; n += 1) {
      const durationTicks = segments.durationTicks[n]!;
      const beginsSpan = n === span.first;
      times.push({
        startSeconds: ticks / timescale,
        mediaTicks,
        durationTicks,
        isGap: segments.bytes[n] === 0,
        initFile: segments.spans === undefined ? "init" : `init-${span.initVersion}`,
        isDiscontinuous: beginsSpan && span.isDiscontinuous,
        beginsSpan,
      });
      mediaTicks += durationTicks;
      ticks += durationTicks;
    }
  }
  return times;
}
