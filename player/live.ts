import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import { setTitle } from "./broadcast-over.ts";
import { followLive } from "./follow-live.ts";
import { latencySeconds } from "./latency.ts";
import { boundSeeks } from "./live-edge.ts";
import { playWhenReady, startSeconds } from "./live-start.ts";
import type { ViewReporter } from "./report-views.ts";
import { offerUnmute } from "./unmute.ts";

const UPDATE_MS = 500;
/** Playback that stands still this near to the end of a broadcast has reached it. */
const NEAR_END_SECONDS = 0.5;

/** Plays a broadcast, and shows the live indicator: a button that seeks to the live edge, and the latency. */
export function showLive(
  root: HTMLElement,
  video: HTMLVideoElement,
  hls: HlsPlayer,
  reporter: ViewReporter,
  onEnd: () => void,
): void {
  let isLive = false;
  let loadedMs = 0;
  hls.once(Events.MANIFEST_LOADING, () => (loadedMs = performance.now()));
  let endSeconds = Infinity;
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    if (details.live && !isLive) {
      isLive = true;
      setTitle(root, "Live");
      root.classList.add("live");
      root.querySelector("media-settings-menu-item.speed")?.remove(); // hls.js sets the speed of a broadcast, to catch up
      root.setAttribute("defaultstreamtype", "live");
      boundSeeks(root, video, hls);
      followLive(video, hls);
      video.muted = true; // browsers block autoplay with sound
      offerUnmute(root, video);
      reporter.attempt(loadedMs);
      playWhenReady(
        root,
        video,
        startSeconds(details.partList === null ? null : details.partTarget),
        reporter.withdrawAttempt,
      );
    }
    if (!details.live) endSeconds = details.edge;
  });
  let isOver = false;
  const end = () => {
    if (!isLive || isOver) return;
    isOver = true;
    onEnd();
  };
  video.addEventListener("ended", end);
  let lastSeconds = 0;
  const label = root.querySelector(".latency");
  const timer = setInterval(() => {
    if (!root.isConnected && isLive) return clearInterval(timer);
    // Sound that is a little longer than the picture can leave a browser waiting at the end of a broadcast.
    const isAtEnd = video.currentTime === lastSeconds && video.currentTime > endSeconds - NEAR_END_SECONDS;
    lastSeconds = video.currentTime;
    if (isAtEnd && !video.paused && !video.seeking) return end();
    const seconds = isLive && !video.paused ? latencySeconds(hls.playingDate, Date.now(), hls.latency) : null;
    if (label) label.textContent = seconds === null ? "" : `${seconds.toFixed(1)} s behind`;
  }, UPDATE_MS);
}
