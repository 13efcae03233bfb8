import { msnOfHls } from "./hls-numbers.ts";
import { lastPart, lastWhole, type LivePlace, type LiveRendition, type LiveTiming, segmentAt } from "./timeline.ts";

/** The delivery directives of a playlist request (RFC 8216bis §6.2.5), as a player sent them. */
export interface Directives {
  /** `_HLS_msn`, `_HLS_part`: answer when this is there. Null = answer now. */
  waitFor: LivePlace | null;
  /** `_HLS_skip`: `YES`, or `v2`, which may also skip date ranges. */
  skip: "YES" | "v2" | null;
}

/** Numbers of JSON that are exact; a longer one is none of ours. */
const MAX_DIGITS = 15;

/** @returns words on what is wrong, or the directives; other parameters are none of this */
export function readDirectives(query: URLSearchParams): Directives | { problem: string } {
  const [msn, part] = [readNumber(query, "_HLS_msn"), readNumber(query, "_HLS_part")];
  for (const [name, value] of [
    ["_HLS_msn", msn],
    ["_HLS_part", part],
  ] as const)
    if (value === "bad") return { problem: `${name} is no sequence number` };
  if (msn === null && part !== null) return { problem: "_HLS_part needs _HLS_msn" };
  const skip = query.get("_HLS_skip");
  const waitFor = msn === null ? null : { msn: msnOfHls(msn as number), part: part as number | null };
  // A word that is not known asks for nothing that is known: the whole playlist is right for it.
  return { waitFor, skip: skip === "YES" || skip === "v2" ? skip : null };
}

function readNumber(query: URLSearchParams, name: string): number | "bad" | null {
  const text = query.get(name);
  if (text === null) return null;
  return /^\d+$/.test(text) && text.length <= MAX_DIGITS ? Number(text) : "bad";
}

/**
 * What a playlist request waits for. One that names nothing waits for the first whole segment: a playlist without any makes players give
 * up, or ask again only after a while, whatever parts it has. Without low latency nothing is told of parts.
 */
export function wantedPlace(rendition: LiveRendition, timing: LiveTiming, asked: LivePlace | null): LivePlace | null {
  if (asked !== null) return timing.partTargetMs === null ? { ...asked, part: null } : asked;
  return lastWhole(rendition) === null ? { msn: rendition.firstMsn, part: null } : null;
}

/** Whether a playlist is the answer to an address that all who follow the edge ask for, and not one for a latecomer. */
export const isAtEdge = (rendition: LiveRendition, asked: LivePlace | null): boolean =>
  asked !== null && asked.msn + 1 >= (lastPart(rendition)?.msn ?? 0);

export type ReloadDecision = "answer" | "wait" | { problem: string };

/**
 * Whether a playlist can be answered now (§6.2.5.2). What lies in the past is answered with what there is; what lies too far ahead is
 * refused: two segments, or as many parts as make three seconds.
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
 * Whether the playlist holds a place or one behind it. A part beyond the last one of a whole segment is the first of the next segment
 * (§6.2.5.2).
 */
export function contains(rendition: LiveRendition, { msn, part }: LivePlace): boolean {
  if (part === null) return (lastWhole(rendition)?.msn ?? -1) >= msn;
  const last = lastPart(rendition);
  if (last === null) return false;
  if (last.msn > msn + 1) return true; // whose parts may be forgotten
  const segment = segmentAt(rendition, msn);
  if (segment?.isWhole === true && part >= segment.parts.length) return contains(rendition, { msn: msn + 1, part: 0 });
  return last.msn > msn || (last.msn === msn && last.part >= part);
}
