import type { SegmentList, Span } from "../../../media/types.ts";
import type { RecordedList, SegmentRange } from "./recorded-session.ts";
import { endTicks, type LiveRendition, type LiveSegment, segmentSeconds } from "../../../media/live/timeline.ts";

/** Segments that fit into a D1 row of 2 MB: 66 hours in segments of 2 s. */
export const MOST_SEGMENTS = 120_000;

/** Limit of a list of segments as JSON. A D1 row holds 2 MB, including the other columns. */
const MAX_LIST_BYTES = 1_950_000;
/** Limit of all lists of a session together. They are sent in one RPC, which carries 32 MiB. */
const MAX_LISTS_BYTES = 24_000_000;
/** Maximum size of a span as JSON. */
const SPAN_BYTES = 160;

/** A session's rendition as a source for its recording, read in ascending order of sequence numbers. */
export interface RecordingSource {
  name: string;
  timescale: number;
  /** That of the first playable segment. */
  initVersion: number;
  /** The last playable segment. */
  lastMsn: number;
  at: (msn: number) => LiveSegment | null;
}

export const isPlayable = ({ isWhole, isGap, bytes }: LiveSegment): boolean => isWhole && !isGap && bytes > 0;

/**
 * A session's renditions as lists of one length. A segment that a rendition lost or never had becomes an entry without bytes, with the
 * duration that the other renditions have. Renditions without any segment are omitted.
 *
 * @param range null = from the first segment to the last whole one. Position 0 of each list is the range's first segment.
 */
export function recordedLists(renditions: LiveRendition[], range: SegmentRange | null): RecordedList[] {
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

/** The same for sources that are read in pages. All lists end early, at the same segment, when one would not fit into a D1 row. */
export function listsFrom(played: RecordingSource[], range: SegmentRange | null): RecordedList[] {
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

/** A segment's duration: from a rendition that has it, else from one that has a gap for it. */
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

/** Builds the list of one rendition, in ascending order of media sequence numbers. */
class ListBuilder {
  readonly rendition: RecordingSource;
  /** Upper bound of the list's size as JSON. */
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
