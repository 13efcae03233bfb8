import type HlsPlayer from "hls.js";

/** Up to this far behind the live position, playback counts as live. */
export const LIVE_TOLERANCE_SECONDS = 2;

/**
 * Bounds seeking at hls.js's live position. The end of the seekable range is newer: a seek to it stalls until enough media has followed.
 * Playback after a pause resumes where it was paused; only the live button and seeks move it.
 */
export function boundSeeks(root: HTMLElement, video: HTMLVideoElement, hls: HlsPlayer): void {
  root.toggleAttribute("noautoseektolive", true);
  // The controls read this property to tell whether playback is live.
  Object.defineProperty(video, "liveEdgeStart", {
    get: () => (hls.liveSyncPosition ?? Number.NaN) - LIVE_TOLERANCE_SECONDS,
  });
  const seekToLive = (event: Event, target: number) => {
    if (hls.liveSyncPosition === null || target < hls.liveSyncPosition) return;
    event.stopImmediatePropagation();
    video.currentTime = hls.liveSyncPosition;
  };
  const capture = { capture: true };
  root.addEventListener("mediaseektoliverequest", (event) => seekToLive(event, Infinity), capture);
  root.addEventListener(
    "mediaseekrequest",
    (event) => seekToLive(event, Number(Reflect.get(event, "detail"))),
    capture,
  );
}
