import type { LiveRendition, LiveSegment, LiveTiming } from "../../../../src/media/live/timeline.ts";

export const TIMING: LiveTiming = { targetDurationSeconds: 2, partTargetMs: 500 };
export const TIMESCALE = 30_000;
const PARTS = 4;
export const START_MS = Date.UTC(2026, 10, 20, 12);

/** Segments of 2 s in four parts, the last one with as many parts as `openParts` says (0 = there is none). */
export function session(wholeSegments: number, openParts = 0, more: Partial<LiveRendition> = {}): LiveRendition {
  const segment = (msn: number, parts: number): LiveSegment => ({
    msn,
    capturedAtMs: START_MS + msn * 2000,
    decodeTicks: msn * 2 * TIMESCALE,
    durationTicks: (parts * TIMESCALE) / 2,
    bytes: parts * 1000,
    isDiscontinuous: false,
    initVersion: 0,
    isGap: false,
    isWhole: parts === PARTS,
    parts: Array.from({ length: parts }, (_, part) => ({
      durationTicks: TIMESCALE / 2,
      bytes: 1000,
      isIndependent: part % 2 === 0,
    })),
  });
  const whole = Array.from({ length: wholeSegments }, (_, msn) => segment(msn, PARTS));
  return {
    name: "v720",
    timescale: TIMESCALE,
    firstMsn: 0,
    segments: openParts > 0 ? [...whole, segment(wholeSegments, openParts)] : whole,
    discontinuities: [],
    periodStarts: [0],
    droppedFrom: null,
    hasEnded: false,
    ...more,
  };
}
