import type { SegmentList, Span } from "../assets/types.ts";
import type { LiveVariant } from "../delivery/live/multivariant.ts";
import { endTicks, type LiveRendition, type LiveSegment, segmentSeconds } from "../delivery/live/timeline.ts";

/** Media sequence numbers, the last one included. */
export interface SegmentRange {
  first: number;
  last: number;
}

/** As many as fit into a row of D1, which takes 2 MB: 66 hours in segments of 2 s. */
export const MOST_SEGMENTS = 120_000;

export interface RecordedRendition {
  name: string;
  timescale: number;
  segments: SegmentList;
}

/** What a session has left for on-demand delivery. */
export interface RecordedSession {
  /** What its renditions are, those among them that have nothing. */
  variants: LiveVariant[];
  frameRate: number; // frames per second; 0 = unknown
  channels: number; // of the source's sound; 0 = none
  renditions: RecordedRendition[];
}

export const isPlayable = ({ isWhole, isGap, bytes }: LiveSegment): boolean => isWhole && !isGap && bytes > 0;

/**
 * A session's renditions as lists of one length: what one of them has lost, or never had, is a segment of the length that the others
 * tell, without bytes. Renditions that never had anything are left out.
 *
 * @param range null = from the first segment to the last whole one. Position 0 of each list is the range's first.
 */
export function recordedLists(renditions: LiveRendition[], range: SegmentRange | null): RecordedRendition[] {
  const played = renditions.filter(({ segments }) => segments.some(isPlayable));
  const bySequence = played.map(({ segments }) => new Map(segments.map((segment) => [segment.msn, segment])));
  const end = Math.max(-1, ...played.map(({ segments }) => segments.findLast(isPlayable)!.msn));
  const { first, last } = { first: range?.first ?? 0, last: Math.min(range?.last ?? end, end) };
  const lists = played.map((rendition, index) => new ListBuilder(rendition, bySequence[index]!));
  let seconds = 0;
  for (let msn = first; msn <= last; msn += 1) {
    seconds = secondsOf(played, bySequence, msn) ?? seconds;
    const breaks = lists.map((list) => list.breaksAt(msn));
    const isDiscontinuous = msn > first && breaks.includes("discontinuity");
    const capturedAtMs = capturedAt(bySequence, msn);
    if (msn === first || breaks.some((kind) => kind !== null))
      for (const list of lists) list.beginSpan(msn, msn - first, capturedAtMs, isDiscontinuous);
    for (const list of lists) list.add(msn, seconds);
  }
  return lists.map(({ rendition: { name, timescale }, segments }) => ({ name, timescale, segments }));
}

/** How long a segment is, as one that has it says; else one for which it is a gap. */
function secondsOf(renditions: LiveRendition[], bySequence: Map<number, LiveSegment>[], msn: number): number | null {
  const found = bySequence.flatMap((segments, index) => {
    const segment = segments.get(msn);
    return segment === undefined ? [] : [{ segment, timescale: renditions[index]!.timescale }];
  });
  const best = found.find(({ segment }) => isPlayable(segment)) ?? found[0];
  return best === undefined ? null : segmentSeconds(best.segment, best.timescale);
}

const capturedAt = (bySequence: Map<number, LiveSegment>[], msn: number): number =>
  bySequence.find((segments) => segments.has(msn))?.get(msn)?.capturedAtMs ?? 0;

/** Adds up one rendition, in the order of media sequence numbers. */
class ListBuilder {
  readonly rendition: LiveRendition;
  readonly segments: SegmentList & { spans: Span[] } = { durationTicks: [], bytes: [], keyframes: [], spans: [] };
  readonly #bySequence: Map<number, LiveSegment>;
  #initVersion: number;
  #wasThere: boolean | null = null;
  #endTicks = 0;

  constructor(rendition: LiveRendition, bySequence: Map<number, LiveSegment>) {
    this.rendition = rendition;
    this.#bySequence = bySequence;
    this.#initVersion = rendition.segments.find(isPlayable)!.initVersion;
  }

  #at(msn: number): LiveSegment | null {
    const segment = this.#bySequence.get(msn);
    return segment !== undefined && isPlayable(segment) ? segment : null;
  }

  breaksAt(msn: number): "discontinuity" | "gap" | null {
    const segment = this.#at(msn);
    if (segment !== null && (segment.isDiscontinuous || segment.initVersion !== this.#initVersion))
      return "discontinuity";
    return this.#wasThere !== (segment !== null) ? "gap" : null;
  }

  beginSpan(msn: number, position: number, capturedAtMs: number, isDiscontinuous: boolean): void {
    const segment = this.#at(msn);
    this.#initVersion = segment?.initVersion ?? this.#initVersion;
    const startTicks = segment?.decodeTicks ?? this.#endTicks;
    this.segments.spans.push({
      first: position,
      initVersion: this.#initVersion,
      startTicks,
      capturedAtMs,
      isDiscontinuous,
    });
  }

  add(msn: number, seconds: number): void {
    const segment = this.#at(msn);
    const durationTicks = segment === null ? Math.round(seconds * this.rendition.timescale) : segment.durationTicks;
    this.segments.durationTicks.push(durationTicks);
    this.segments.bytes.push(segment?.bytes ?? 0);
    this.#endTicks = segment === null ? this.#endTicks + durationTicks : endTicks(segment);
    this.#wasThere = segment !== null;
  }
}
