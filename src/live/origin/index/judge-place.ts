import type { PartVerdict } from "../../../media/live/origin-facts.ts";
import { contains } from "../../../media/live/reload.ts";
import { type LivePlace, type LiveRendition, nextPart } from "../../../media/live/timeline.ts";

export const NO_RENDITION = { verdict: "refused", reason: "no such rendition" } as const;

/** Checks an arriving part's position. @returns null when it is the expected one */
export function judgePlace(rendition: LiveRendition, place: LivePlace): PartVerdict | null {
  if (contains(rendition, place)) return { verdict: "known" };
  const expected = nextPart(rendition);
  if (expected === null) return { verdict: "refused", reason: "the session has ended" };
  const isNext = expected.msn === place.msn && expected.part === place.part;
  return isNext ? null : { verdict: "missing", expected };
}
