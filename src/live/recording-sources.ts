import { SegmentPages } from "../delivery/live/origin-pages.ts";
import type { OriginStore } from "../delivery/live/origin-store.ts";
import type { LiveRendition } from "../delivery/live/timeline.ts";
import type { RecordingSource } from "./recording-lists.ts";

/** The renditions of a session that have something to play, read from what its origin has stored. */
export function recordingSources(store: OriginStore, renditions: LiveRendition[]): RecordingSource[] {
  return renditions.flatMap(({ name, timescale }) => {
    const playable = store.playable(name);
    if (playable === null) return [];
    const pages = new SegmentPages(store, name);
    return [{ name, timescale, ...playable, at: (msn: number) => pages.at(msn) }];
  });
}
