import type { StoreComponents } from "./components.ts";

/** Counts a `playback.*` event before it is written to the database. @returns false beyond the workspace's events of this day */
export function takeEventPlace({ env, eventPlaces, refusals }: StoreComponents, atMs: number): boolean {
  const isTaken = eventPlaces.take(atMs, Number(env.MAX_WORKSPACE_PLAYBACK_EVENTS));
  if (!isTaken) refusals.add({ too_many_playback_events: 1 }, atMs);
  return isTaken;
}
