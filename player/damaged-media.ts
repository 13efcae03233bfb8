import type { Fragment } from "hls.js";
import type HlsPlayer from "hls.js";

/** Playback of this length after a recovery is progress: the next failure is another one. */
const PROGRESS_SECONDS = 1;
/** Recoveries without progress from pictures that cannot be decoded: the first one at their place, the others each behind the next fragment. */
const MOST_RECOVERIES = 4;
/** Fragments that the browser has refused, without progress. They are loaded ahead of playback, several in a row. */
const MOST_REFUSED = 10;
/** Key frames can be this much away from the boundaries that the playlist states. */
const TOLERANCE_SECONDS = 0.1;

/**
 * Recovers playback after errors of the media, which leave the element unusable until its media source is replaced.
 *
 * @returns tries the next recovery. Its argument is a fragment that the browser has refused, usually far ahead of playback, which goes on where it is.
 *   False = there is nothing left to try
 */
export function mediaRecovery(hls: HlsPlayer, video: HTMLVideoElement): (refused?: Fragment) => boolean {
  let isPlaying = false;
  // Replacing the media source resets the element's own position.
  let positionSeconds = 0;
  let playedSeconds = 0;
  let [recoveries, refusals] = [0, 0];

  video.addEventListener("play", () => (isPlaying = true));
  video.addEventListener("pause", () => {
    // Chromium pauses an element that has failed. The viewer has not.
    if (video.paused && video.error === null) isPlaying = false;
  });
  video.addEventListener("seeking", () => (positionSeconds = video.currentTime));
  video.addEventListener("timeupdate", () => {
    if (video.seeking || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
    playedSeconds += Math.max(0, video.currentTime - positionSeconds);
    positionSeconds = video.currentTime;
    if (playedSeconds > PROGRESS_SECONDS) recoveries = refusals = 0;
  });

  const nextPosition = (refused: Fragment | undefined): number | null => {
    if (refused !== undefined) {
      markAsGap(refused);
      return ++refusals > MOST_REFUSED ? null : positionSeconds;
    }
    if (++recoveries > MOST_RECOVERIES) return null;
    return recoveries === 1 ? positionSeconds : behindDamage(hls, positionSeconds);
  };

  return (refused) => {
    const target = nextPosition(refused);
    if (target === null) return false;
    positionSeconds = target;
    playedSeconds = 0;
    hls.recoverMediaError();
    if (target > 0) hls.startLoad(target);
    if (isPlaying) void video.play().catch(() => {});
    return true;
  };
}

/** As EXT-X-GAP does (RFC 8216bis §4.4.4.7): hls.js then loads another rendition there, or seeks behind it when playback arrives. */
function markAsGap(fragment: Fragment): void {
  fragment.tagList.push(["GAP"]);
  (fragment as Fragment & { gap?: boolean }).gap = true;
}

/** The start of the next fragment, in seconds; null = there is none. */
function behindDamage({ latestLevelDetails: details }: HlsPlayer, damagedSeconds: number): number | null {
  if (details === null) return null;
  const damaged = details.fragments.find(({ end }) => end > damagedSeconds + TOLERANCE_SECONDS);
  const end = damaged?.end ?? details.edge; // a fragment of which only parts are published
  return details.live || end < details.edge - TOLERANCE_SECONDS ? end + TOLERANCE_SECONDS : null;
}
