import { lengthAt } from "../origin/origin-history.ts";
import type { RangeAnswer } from "../origin/recorded-session.ts";
import { edgeOf, findRangeIn } from "../recording/clips-range.ts";
import type { EdgeParts } from "./parts.ts";

/**
 * Finds the segments that cover a time range. Times are relative to the session's first segment.
 *
 * @returns null when there is no index: the session has not begun, or it was deleted after the recording was written
 */
export function findRange({ holding, index }: EdgeParts, startSeconds: number, endSeconds: number): RangeAnswer | null {
  const { session, store, history, all } = index;
  if (session === null) return null;
  const pages = history.pagesOf(all);
  const lengths = {
    edge: Math.min(edgeOf(all), (holding.firstMsn ?? Infinity) - 1),
    hasEnded: all.every((rendition) => rendition.hasEnded),
    from: store.markBefore(startSeconds),
    lengthAt: (msn: number) => lengthAt(pages, msn),
  };
  return findRangeIn(lengths, startSeconds, endSeconds);
}
