import { lengthAt } from "../origin/origin-history.ts";
import type { RangeAnswer, RecordedSession, SegmentRange } from "../origin/recorded-session.ts";
import { edgeOf, findRangeIn } from "../recording/clips-range.ts";
import { findRangeInIndex, windowOf } from "../recording/recorded-index.ts";
import { listsFrom } from "../recording/recording-lists.ts";
import { recordingSources } from "../recording/recording-sources.ts";
import type { EdgeParts } from "./parts.ts";

/** The session, or a range of it, as on-demand media; null before the first whole segment. */
export function recorded({ holding, index }: EdgeParts, range: SegmentRange | null): RecordedSession | null {
  const { all, session, store } = index;
  if (session === null) return null;
  const renditions = listsFrom(recordingSources(store, all, holding.firstMsn), range);
  if (renditions.length === 0) return null;
  const { video, audio } = session.started ?? { video: null, audio: null };
  const source = { frameRate: video?.frameRate ?? 0, channels: audio?.channels ?? 0 };
  return { variants: session.renditions, ...source, renditions };
}

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

/** As `findRange`, from the recording. @returns null when there is no recording; `busy` = retry after a second */
export async function findRecordedRange(
  { env, recordedReader }: EdgeParts,
  sessionId: string,
  startSeconds: number,
  endSeconds: number,
): Promise<RangeAnswer | null | "busy"> {
  const index = await recordedReader.read(env, sessionId);
  return typeof index === "object" && index !== null ? findRangeInIndex(index, startSeconds, endSeconds) : index;
}

/** As `recorded`, from the recording. */
export async function recordedWindow(
  { env, recordedReader }: EdgeParts,
  sessionId: string,
  range: SegmentRange,
): Promise<RecordedSession | null | "busy"> {
  const index = await recordedReader.read(env, sessionId);
  return typeof index === "object" && index !== null ? windowOf(index, range) : index;
}
