import type { ArrivingPart } from "../../media/live/origin-facts.ts";
import { endTicks, type LiveRendition, type LiveSegment, segmentAt } from "../../media/live/timeline.ts";

/** A segment as its first part tells of it, before that part is added. */
export function newSegment(arriving: ArrivingPart, { segments, timescale }: LiveRendition): LiveSegment {
  const { msn, capturedAtMs, decodeTicks, initVersion } = arriving;
  const before = segments.at(-1);
  // The beginning of the new run may have been lost, and its discontinuity with it.
  const isLateSeam = before !== undefined && before.isGap && before.initVersion !== initVersion;
  const isDiscontinuous = arriving.isDiscontinuous || isLateSeam;
  const goesOn = before !== undefined && !isDiscontinuous;
  return {
    msn,
    // Players take dates for places in the media: one that follows a better estimate, or a clock of another speed, misleads them.
    capturedAtMs: goesOn ? before.capturedAtMs + ((decodeTicks - before.decodeTicks) / timescale) * 1000 : capturedAtMs,
    decodeTicks,
    durationTicks: 0,
    bytes: 0,
    isDiscontinuous,
    initVersion,
    isGap: false,
    isWhole: false,
    parts: [],
  };
}

/**
 * A segment that is lost. It lasts as long as another rendition's, or the target while none is known to be whole.
 *
 * @param all the session's renditions
 * @param at how a rendition has this segment; a rendition that is far behind asks for what the others no longer hold in memory
 */
export function gapSegment(
  msn: number,
  { segments, timescale, droppedFrom }: LiveRendition,
  all: LiveRendition[],
  targetDurationSeconds: number,
  nowMs: number,
  at: (rendition: LiveRendition) => LiveSegment | null = (rendition) => segmentAt(rendition, msn),
): LiveSegment {
  const before = segments.at(-1);
  const known = knownElsewhere(all, at);
  const durationTicks = Math.round((known?.seconds ?? targetDurationSeconds) * timescale);
  const untilMs = before === undefined ? nowMs : before.capturedAtMs + (before.durationTicks / timescale) * 1000;
  const follows = before === undefined ? 0 : endTicks(before);
  return {
    msn,
    capturedAtMs: known?.capturedAtMs ?? untilMs,
    decodeTicks: known === null ? follows : Math.round(known.decodeSeconds * timescale),
    durationTicks,
    bytes: 0,
    isDiscontinuous: known?.isDiscontinuous ?? false,
    // A rung that was given up has no init segments of later runs.
    initVersion: (droppedFrom === null ? known?.initVersion : undefined) ?? before?.initVersion ?? 0,
    isGap: true,
    isWhole: true,
    parts: [{ durationTicks, bytes: 0, isIndependent: false }],
  };
}

/** A segment as another rendition has it; `seconds` null while it is not whole. */
function knownElsewhere(all: LiveRendition[], at: (rendition: LiveRendition) => LiveSegment | null) {
  const there = all.flatMap((rendition) => {
    const segment = at(rendition);
    return segment === null ? [] : [{ segment, timescale: rendition.timescale }];
  });
  const best =
    there.find(({ segment }) => segment.isWhole && !segment.isGap) ??
    there.find(({ segment }) => segment.isGap) ??
    there[0];
  if (best === undefined) return null;
  const { segment, timescale } = best;
  const { capturedAtMs, isDiscontinuous, initVersion } = segment;
  const seconds = segment.isWhole ? segment.durationTicks / timescale : null;
  return { capturedAtMs, isDiscontinuous, initVersion, seconds, decodeSeconds: segment.decodeTicks / timescale };
}
