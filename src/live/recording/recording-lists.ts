import type { SegmentList, Span } from "../../media/types.ts";
import type { RecordedRendition, SegmentRange } from "../origin/recorded-session.ts";
import { endTicks, type LiveRendition, type LiveSegment, segmentSeconds } from "../../media/live/timeline.ts";

/** As many as fit into a row of D1, which takes 2 MB: 66 hours in segments of 2 s. */
export const MOST_SEGMENTS = 120_000;

/** A row of D1 holds 2 MB: what a list of segments may take as JSON, with room for the other columns. */
const MAX_LIST_BYTES = 1_950_000;
/** What all lists of a session may take together: they cross an RPC, which carries 32 MiB. */
const MAX_LISTS_BYTES = 24_000_000;
/** The most that a span takes as JSON. */
const SPAN_BYTES = 160;

/** A rendition of a session as a recording is read from it, in the order of sequence numbers. */
export interface RecordingSource {
  name: string;
  timescale: number;
  /** Of the first segment that can be played. */
  initVersion: number;
  /** The last segment that can be played. */
  lastMsn: number;
  at: (msn: number) => LiveSegment | null;
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
  return listsFrom(
    played.map(({ name, timescale, segments }) => {
      const bySequence = new Map(segments.map((segment) => [segment.msn, segment]));
      const { initVersion } = segments.find(isPlayable)!;
      const lastMsn = segments.findLast(isPlayable)!.msn;
      return { name, timescale, initVersion, lastMsn, at: (msn: number) => bySequence.get(msn) ?? null };
    }),
    range,
  );
}

/** The same from what is read piece by piece. Ends early, in all lists at once, where one of them would not fit into a row of D1. */
export function listsFrom(played: RecordingSource[], range: SegmentRange | null): RecordedRendition[] {
  const end = Math.max(-1, ...played.map(({ lastMsn }) => lastMsn));
  const { first, last } = { first: range?.first ?? 0, last: Math.min(range?.last ?? end, end) };
  const lists = played.map((rendition) => new ListBuilder(rendition));
  const mostBytes = Math.min(MAX_LIST_BYTES, MAX_LISTS_BYTES / Math.max(1, played.length));
  let seconds = 0;
  for (let msn = first; msn <= last; msn += 1) {
    if (lists.some(({ jsonBytes }) => jsonBytes > mostBytes)) break;
    seconds = secondsOf(played, msn) ?? seconds;
    const breaks = lists.map((list) => list.breaksAt(msn));
    const isDiscontinuous = msn > first && breaks.includes("discontinuity");
    const capturedAtMs = capturedAt(played, msn);
    if (msn === first || breaks.some((kind) => kind !== null))
      for (const list of lists) list.beginSpan(msn, msn - first, capturedAtMs, isDiscontinuous);
    for (const list of lists) list.add(msn, seconds);
  }
  return lists.map(({ rendition: { name, timescale }, segments }) => ({ name, timescale, segments }));
}

/** How long a segment is, as one that has it says; else one for which it is a gap. */
function secondsOf(renditions: RecordingSource[], msn: number): number | null {
  const found = renditions.flatMap(({ timescale, at }) => {
    const segment = at(msn);
    return segment === null ? [] : [{ segment, timescale }];
  });
  const best = found.find(({ segment }) => isPlayable(segment)) ?? found[0];
  return best === undefined ? null : segmentSeconds(best.segment, best.timescale);
}

const capturedAt = (renditions: RecordingSource[], msn: number): number => {
  for (const { at } of renditions) {
    const segment = at(msn);
    if (segment !== null) return segment.capturedAtMs;
  }
  return 0;
};

/** Adds up one rendition, in the order of media sequence numbers. */
class ListBuilder {
  readonly rendition: RecordingSource;
  /** What the list takes as JSON, at most. */
  jsonBytes = 0;
  readonly segments: SegmentList & { spans: Span[] } = { durationTicks: [], bytes: [], keyframes: [], spans: [] };
  #initVersion: number;
  #wasThere: boolean | null = null;
  #endTicks = 0;

  constructor(rendition: RecordingSource) {
    this.rendition = rendition;
    this.#initVersion = rendition.initVersion;
  }

  #at(msn: number): LiveSegment | null {
    const segment = this.rendition.at(msn);
    return segment !== null && isPlayable(segment) ? segment : null;
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
    this.jsonBytes += SPAN_BYTES;
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
    this.jsonBytes += String(durationTicks).length + String(segment?.bytes ?? 0).length + 2;
    this.#endTicks = segment === null ? this.#endTicks + durationTicks : endTicks(segment);
    this.#wasThere = segment !== null;
  }
}
