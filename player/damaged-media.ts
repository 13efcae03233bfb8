import type HlsPlayer from "hls.js";

/** So much playback after a recovery is progress: the next failure is another one. */
const PROGRESS_SECONDS = 1;
/** Recoveries without progress: the first one at the place of the failure, the others each behind the next fragment. */
const MOST_RECOVERIES = 4;
/** Key frames can be this much away from the boundaries that the playlist states. */
const TOLERANCE_SECONDS = 0.1;

/**
 * Recovers playback after errors of the media, which leave the element unusable until its media source is replaced.
 *
 * @returns tries the next recovery. Its argument is a time in the damaged fragment, if that is not the one that is played. False = there is
 *   nothing left to try
 */
export function mediaRecovery(hls: HlsPlayer, video: HTMLVideoElement): (damagedSeconds?: number) => boolean {
  let isPlaying = false;
  // Replacing the media source resets the element's own position.
  let positionSeconds = 0;
  let playedSeconds = 0;
  let recoveries = 0;

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
    if (playedSeconds > PROGRESS_SECONDS) recoveries = 0;
  });

  return (damagedSeconds) => {
    recoveries += 1;
    if (recoveries > MOST_RECOVERIES) return false;
    const target = recoveries === 1 ? positionSeconds : behindDamage(hls, damagedSeconds ?? positionSeconds);
    if (target === null) return false;
    positionSeconds = target;
    playedSeconds = 0;
    hls.recoverMediaError();
    if (target > 0) hls.startLoad(target);
    if (isPlaying) void video.play().catch(() => {});
    return true;
  };
}

/** The start of the next fragment, in seconds; null = there is none. */
function behindDamage({ latestLevelDetails: details }: HlsPlayer, damagedSeconds: number): number | null {
  if (details === null) return null;
  const damaged = details.fragments.find(({ end }) => end > damagedSeconds + TOLERANCE_SECONDS);
  const end = damaged?.end ?? details.edge; // a fragment of which only parts are published
  return details.live || end < details.edge - TOLERANCE_SECONDS ? end + TOLERANCE_SECONDS : null;
}
