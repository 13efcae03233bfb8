import { offersBlockingReload } from "../media/hls/media-playlist.ts";
import type { MediaList } from "../media/manifest/model.ts";
import { hlsNumberOf } from "../media/live/hls-numbers.ts";
import { readDirectives } from "../media/live/reload.ts";
import { atMost } from "../platform/at-most.ts";
import { Problem } from "../platform/http/problems.ts";

type ListedSoFar = Pick<MediaList, "isComplete" | "segmentCount">;

const LOOK_EVERY_MS = 500;
/** Two segments of the ladder. hls.js gives up when the first byte takes 10 s. */
const LONGEST_MS = 8000;
/** Reloads that one isolate holds. Each is a request that stays open. */
const MOST_HELD = 512;

class TooManyHeld extends Error {}
const hold = atMost(MOST_HELD, () => new TooManyHeld());

/**
 * Holds a reload of a growing playlist with one segment until it has more. A player that begins with it would otherwise reload when it
 * has played that segment, and stall. After 8 s, and when the isolate holds too many, the reload is answered with the playlist as it is.
 * Longer playlists are answered at once, and complete ones ignore the directives. Media on demand has no parts.
 *
 * A segment that is far ahead is not refused, as it is in a broadcast: another isolate may have listed it to the player before.
 *
 * @param look at the rendition's list again; null = it is no longer offered
 * @returns the newest list, or the first one if it was not held
 * @throws {Problem} bad_directives; what `look` throws
 */
export async function holdReload<T extends { list: ListedSoFar | null }>(
  query: URLSearchParams,
  first: T,
  look: () => Promise<T>,
): Promise<T> {
  if (first.list === null || first.list.isComplete) return first;
  const directives = readDirectives(query);
  if ("problem" in directives) throw new Problem("bad_directives", directives.problem);
  if (directives.waitFor === null) return first;
  const asked = hlsNumberOf(directives.waitFor.msn); // playlists on demand count from 0, as `EXT-X-MEDIA-SEQUENCE` does
  if (asked < first.list.segmentCount || !isWaiting(first.list)) return first;
  try {
    return await hold(() => lookUntilLonger(look));
  } catch (error) {
    if (error instanceof TooManyHeld) return first;
    throw error;
  }
}

async function lookUntilLonger<T extends { list: ListedSoFar | null }>(look: () => Promise<T>): Promise<T> {
  const endsAtMs = Date.now() + LONGEST_MS;
  for (;;) {
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
    const newest = await look();
    if (!isWaiting(newest.list) || Date.now() >= endsAtMs) return newest;
  }
}

const isWaiting = (list: ListedSoFar | null): boolean => list !== null && offersBlockingReload(list);
