import { type Presentation, secondsOf } from "../manifest/model.ts";
import { type Stretch, stretchesOf } from "../manifest/stretches.ts";

/** A stretch of the presentation without a break (ISO/IEC 23009-1 §5.3.2). */
export interface Period {
  /** On the presentation's timeline. */
  startSeconds: number;
  /** The media time at which it begins: sound and picture are held together by it. */
  mediaSeconds: number;
  /** Of each rendition, by name. */
  stretches: Map<string, Stretch>;
  /** Renditions that have nothing here. */
  missing: Set<string>;
}

/** Where nobody has anything, time is left out. */
export function periodsOf({ videoSets, audio, endSeconds }: Presentation): { periods: Period[]; endSeconds: number } {
  const all = [...videoSets.flat(), ...audio].map((row) => ({ row, stretches: stretchesOf(row) }));
  const periods: Period[] = [];
  let startSeconds = 0;
  for (let n = 0; n < (all[0]?.stretches.length ?? 0); n += 1) {
    const here = all.map(({ row, stretches }) => ({ row, stretch: stretches[n]! }));
    const leader = here.find(({ stretch }) => !stretch.isGap); // the picture, if there is one: it comes first
    if (leader === undefined) continue;
    const { row, stretch } = leader;
    periods.push({
      startSeconds,
      mediaSeconds: stretch.startTicks / row.timescale,
      stretches: new Map(here.map((one) => [one.row.name, one.stretch])),
      missing: new Set(here.filter((one) => one.stretch.isGap).map((one) => one.row.name)),
    });
    const ticks = row.segments.durationTicks.slice(stretch.first, stretch.first + stretch.count);
    startSeconds += secondsOf({ ...row, segments: { ...row.segments, durationTicks: ticks } });
  }
  const isBroadcast = all.some(({ row }) => row.segments.spans !== undefined);
  return { periods, endSeconds: isBroadcast ? startSeconds : endSeconds };
}
