import { SegmentPages } from "../origin/origin-pages.ts";
import type { OriginStore } from "../origin/origin-store.ts";
import type { LiveRendition } from "../../media/live/timeline.ts";
import type { RecordingSource } from "./recording-lists.ts";

/**
 * The renditions of a session that have playable segments, read from its origin's store.
 *
 * @param endMsn the first segment that is not recorded; null = record all
 */
export function recordingSources(
  store: OriginStore,
  renditions: LiveRendition[],
  endMsn: number | null,
): RecordingSource[] {
  return renditions.flatMap(({ name, timescale }) => {
    const playable = store.playable(name);
    if (playable === null) return [];
    const pages = new SegmentPages(store, name);
    const lastMsn = Math.min(playable.lastMsn, (endMsn ?? Infinity) - 1);
    return [{ name, timescale, ...playable, lastMsn, at: (msn: number) => pages.at(msn) }];
  });
}
