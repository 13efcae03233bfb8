import type { LiveRendition } from "../../media/live/timeline.ts";
import type { OriginComponents } from "./components.ts";
import { lengthAt } from "./index/origin-history.ts";
import type { OriginStore } from "./index/origin-store.ts";
import { SegmentPages } from "./index/segment-pages.ts";
import { edgeOf, findRangeIn } from "./recorded/clips-range.ts";
import { findRangeInIndex, windowOf } from "./recorded/recorded-index.ts";
import type { RangeAnswer, RecordedSession, SegmentRange } from "./recorded/recorded-session.ts";
import { listsFrom, type RecordingSource } from "./recorded/recording-lists.ts";

/** The session, or a range of it, as on-demand media; null before the first whole segment. */
export function readSession({ freeze, index }: OriginComponents, range: SegmentRange | null): RecordedSession | null {
  const { all, session, store } = index;
  if (session === null) return null;
  const lists = listsFrom(recordingSources(store, all, freeze.firstMsn), range);
  if (lists.length === 0) return null;
  const renditions = lists.map((list) => ({ ...list, formats: [...index.formatsOf(list.name)] }));
  return { variants: session.renditions, channels: session.started?.audio?.channels ?? 0, renditions };
}

/**
 * Finds the segments that cover a time range. Times are relative to the session's first segment.
 *
 * @returns null when there is no index: the session has not begun, or it was deleted after the recording was written
 */
export function findRange(
  { freeze, index }: OriginComponents,
  startSeconds: number,
  endSeconds: number,
): RangeAnswer | null {
  const { session, store, history, all } = index;
  if (session === null) return null;
  const pages = history.pagesOf(all);
  const lengths = {
    edge: Math.min(edgeOf(all), (freeze.firstMsn ?? Infinity) - 1),
    hasEnded: all.every((rendition) => rendition.hasEnded),
    from: store.markBefore(startSeconds),
    lengthAt: (msn: number) => lengthAt(pages, msn),
  };
  return findRangeIn(lengths, startSeconds, endSeconds);
}

/** As `findRange`, from the recording. @returns null when there is no recording; `busy` = retry after a second */
export async function findRecordedRange(
  { env, recordedReader }: OriginComponents,
  sessionId: string,
  startSeconds: number,
  endSeconds: number,
): Promise<RangeAnswer | null | "busy"> {
  const index = await recordedReader.read(env, sessionId);
  return typeof index === "object" && index !== null ? findRangeInIndex(index, startSeconds, endSeconds) : index;
}

/** As `readSession`, from the recording. @returns null when there is no recording; `busy` = retry after a second */
export async function readRecordedWindow(
  { env, recordedReader }: OriginComponents,
  sessionId: string,
  range: SegmentRange,
): Promise<RecordedSession | null | "busy"> {
  const index = await recordedReader.read(env, sessionId);
  return typeof index === "object" && index !== null ? windowOf(index, range) : index;
}

/**
 * The renditions of a session that have playable segments, read from its origin's store.
 *
 * @param endMsn the first segment that is not recorded; null = record all
 */
function recordingSources(store: OriginStore, renditions: LiveRendition[], endMsn: number | null): RecordingSource[] {
  return renditions.flatMap(({ name, timescale }) => {
    const playable = store.playable(name);
    if (playable === null) return [];
    const pages = new SegmentPages(store, name);
    const lastMsn = Math.min(playable.lastMsn, (endMsn ?? Infinity) - 1);
    return [{ name, timescale, ...playable, lastMsn, at: (msn: number) => pages.at(msn) }];
  });
}
