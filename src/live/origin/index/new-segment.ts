import type { ArrivingPart } from "../../../media/live/origin-facts.ts";
import { endTicks, type LiveRendition, type LiveSegment, segmentAt } from "../../../media/live/timeline.ts";

/** The new segment that a first part belongs to, still without that part. */
export function newSegment(arriving: ArrivingPart, { segments, timescale }: LiveRendition): LiveSegment {
  const { msn, capturedAtMs, decodeTicks, initVersion } = arriving;
  const before = segments.at(-1);
  // When the first segment after a reconnect was lost, its discontinuity flag was lost too.
  const isLateDiscontinuity = before !== undefined && before.isGap && before.initVersion !== initVersion;
  const isDiscontinuous = arriving.isDiscontinuous || isLateDiscontinuity;
  const continues = before !== undefined && !isDiscontinuous;
  return {
    msn,
    // Players use dates as positions in the media, so dates must advance exactly with the media, not with the capture's clock.
    capturedAtMs: continues
      ? before.capturedAtMs + ((decodeTicks - before.decodeTicks) / timescale) * 1000
      : capturedAtMs,
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
 * A gap for a lost segment. Its duration is that of the same segment in another rendition, or one target duration when no rendition has it whole.
 *
 * @param all the session's renditions
 * @param at finds this segment in a rendition, also when it is no longer in memory
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
    // A dropped rung has no later init segments.
    initVersion: (droppedFrom === null ? known?.initVersion : undefined) ?? before?.initVersion ?? 0,
    isGap: true,
    isWhole: true,
    parts: [{ durationTicks, bytes: 0, isIndependent: false }],
  };
}

/** The same segment in another rendition; `seconds` is null while it is not whole. */
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
