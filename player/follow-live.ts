import type HlsPlayer from "hls.js";
import { LIVE_TOLERANCE_SECONDS } from "./live-edge.ts";

/** A seek back by less is not the viewer's. */
const LEAST_BACK_SECONDS = 1;
/** This much is played between two jumps, so that a slow connection does not cause one after another. */
const LEAST_PLAYED_SECONDS = 2;

/**
 * Seeks to the live position when playback has fallen so far behind that hls.js would not play faster, as after a lost connection. hls.js
 * takes that for the wish to watch something earlier. A viewer who has paused or sought back stays there, until he is at the live edge again.
 */
export function followLive(video: HTMLVideoElement, hls: HlsPlayer): void {
  let isFollowing = true;
  let positionSeconds = video.currentTime;
  let playedSeconds = LEAST_PLAYED_SECONDS;
  const isAtEdge = () => video.currentTime > (hls.liveSyncPosition ?? Infinity) - LIVE_TOLERANCE_SECONDS;

  video.addEventListener("pause", () => {
    if (video.error === null) isFollowing = false; // Chromium pauses an element that has failed
  });
  video.addEventListener("seeking", () => {
    if (isAtEdge()) isFollowing = true;
    else if (video.currentTime < positionSeconds - LEAST_BACK_SECONDS) isFollowing = false;
    positionSeconds = video.currentTime;
  });
  video.addEventListener("timeupdate", () => {
    const isRunning = !video.paused && !video.seeking && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (!isRunning) return;
    playedSeconds += Math.max(0, video.currentTime - positionSeconds);
    positionSeconds = video.currentTime;
    const { liveSyncPosition: live, latestLevelDetails: details, targetLatency } = hls;
    if (live === null || targetLatency === null || !details?.live) return;
    // Not by the live position, which stands still without a connection, so that a viewer who is behind would seem to arrive there.
    const behindSeconds = details.edge + details.age - video.currentTime;
    if (behindSeconds < targetLatency + LIVE_TOLERANCE_SECONDS) isFollowing = true;
    const isTooFar = live - video.currentTime > targetLatency + details.targetduration;
    if (!isFollowing || !isTooFar || playedSeconds < LEAST_PLAYED_SECONDS) return;
    playedSeconds = 0;
    video.currentTime = live;
  });
}
