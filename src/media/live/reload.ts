import { msnOfHls } from "./hls-numbers.ts";
import { lastPart, lastWhole, type LivePlace, type LiveRendition, type LiveTiming, segmentAt } from "./timeline.ts";

/** The delivery directives of a playlist request (RFC 8216bis §6.2.5). */
export interface Directives {
  /** `_HLS_msn`, `_HLS_part`: answer when the playlist contains this. Null = answer now. */
  waitFor: LivePlace | null;
  /** `_HLS_skip`: `YES`, or `v2`, which may also skip date ranges. */
  skip: "YES" | "v2" | null;
}

/** Digits that are exact in a JSON number. Longer values are invalid: we never issue them. */
const MAX_DIGITS = 15;

/** @returns the directives, or a description of the problem; other parameters are ignored */
export function readDirectives(query: URLSearchParams): Directives | { problem: string } {
  const [msn, part] = [readNumber(query, "_HLS_msn"), readNumber(query, "_HLS_part")];
  for (const [name, value] of [
    ["_HLS_msn", msn],
    ["_HLS_part", part],
  ] as const)
    if (value === "bad") return { problem: `${name} is not a sequence number` };
  if (msn === null && part !== null) return { problem: "_HLS_part needs _HLS_msn" };
  const skip = query.get("_HLS_skip");
  const waitFor = msn === null ? null : { msn: msnOfHls(msn as number), part: part as number | null };
  // An unknown value is ignored, so the player gets the full playlist.
  return { waitFor, skip: skip === "YES" || skip === "v2" ? skip : null };
}

function readNumber(query: URLSearchParams, name: string): number | "bad" | null {
  const text = query.get(name);
  if (text === null) return null;
  return /^\d+$/.test(text) && text.length <= MAX_DIGITS ? Number(text) : "bad";
}

/**
 * The position that a playlist request waits for. A request without directives waits for the first whole segment: without one, players give
 * up or retry only after a delay, even if the playlist has parts. Without low latency, parts are ignored.
 */
export function wantedPlace(rendition: LiveRendition, timing: LiveTiming, asked: LivePlace | null): LivePlace | null {
  if (asked !== null) return timing.partTargetMs === null ? { ...asked, part: null } : asked;
  return lastWhole(rendition) === null ? { msn: rendition.firstMsn, part: null } : null;
}

/** Whether the request is for the live edge, where all players request the same URL, rather than for the past. */
export const isAtEdge = (rendition: LiveRendition, asked: LivePlace | null): boolean =>
  asked !== null && asked.msn + 1 >= (lastPart(rendition)?.msn ?? 0);

export type ReloadDecision = "answer" | "wait" | { problem: string };

/**
 * Whether a playlist request can be answered now (§6.2.5.2). Positions in the past are answered with the current playlist. Positions more
 * than two segments, or three seconds of parts, ahead are refused.
 */
export function decideReload(rendition: LiveRendition, timing: LiveTiming, waitFor: LivePlace | null): ReloadDecision {
  if (waitFor === null || rendition.hasEnded) return "answer";
  if (contains(rendition, waitFor)) return "answer";
  const newest = rendition.segments.at(-1)?.msn ?? rendition.firstMsn - 1;
  if (waitFor.msn > newest + 2) return { problem: "the playlist is not that far yet" };
  if (timing.partTargetMs !== null && waitFor.part !== null) {
    const ahead = waitFor.part - partsOf(rendition, waitFor.msn);
    if (ahead > advancePartLimit(timing.partTargetMs)) return { problem: "the playlist is not that far yet" };
  }
  return "wait";
}

const advancePartLimit = (partTargetMs: number) => (partTargetMs < 1000 ? Math.ceil(3000 / partTargetMs) : 3);

const partsOf = (rendition: LiveRendition, msn: number) => segmentAt(rendition, msn)?.parts.length ?? 0;

/**
 * Whether the playlist contains this place or a later one. A part beyond the last one of a whole segment is the first of the next segment
 * (§6.2.5.2).
 */
export function contains(rendition: LiveRendition, { msn, part }: LivePlace): boolean {
  if (part === null) return (lastWhole(rendition)?.msn ?? -1) >= msn;
  const last = lastPart(rendition);
  if (last === null) return false;
  if (last.msn > msn + 1) return true; // the parts of that segment may have been dropped
  const segment = segmentAt(rendition, msn);
  if (segment?.isWhole === true && part >= segment.parts.length) return contains(rendition, { msn: msn + 1, part: 0 });
  return last.msn > msn || (last.msn === msn && last.part >= part);
}
