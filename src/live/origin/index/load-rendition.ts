import type { OriginRendition, OriginSession } from "../../../media/live/origin-facts.ts";
import type { LiveRendition } from "../../../media/live/timeline.ts";
import { type OriginHistory, SEGMENTS_IN_MEMORY } from "./origin-history.ts";
import type { OriginStore } from "./origin-store.ts";

/** Segments that keep their parts in memory: more than playlists list parts for, even when a bad connection made segments short. */
export const SEGMENTS_WITH_PARTS = 24;

/** Loads a rendition's in-memory state: its newest segments, and the older segments on both sides of each Period start. */
export function loadRendition(
  { store, history }: { store: OriginStore; history: OriginHistory },
  session: OriginSession,
  { name, timescale, firstMsn = 0 }: OriginRendition,
): Omit<LiveRendition, "droppedFrom" | "hasEnded"> {
  const segments = store.newest(name, SEGMENTS_IN_MEMORY, SEGMENTS_WITH_PARTS);
  const [leader] = session.renditions;
  // A rendition added later also counts the session's earlier discontinuities.
  const before = leader && leader.name !== name ? store.discontinuitiesBetween(leader.name, 0, firstMsn - 1) : 0;
  const memoryMsn = segments[0]?.msn ?? firstMsn;
  return {
    name,
    timescale,
    firstMsn,
    segments,
    boundarySegments: history.boundarySegments(name, memoryMsn),
    discontinuities: segments.filter(({ isDiscontinuous }) => isDiscontinuous).map(({ msn }) => msn),
    olderDiscontinuities: before + store.discontinuitiesBetween(name, 0, memoryMsn - 1),
    periodStarts: store.periodStarts(name),
  };
}
