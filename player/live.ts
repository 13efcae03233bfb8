import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import { setTitle } from "./broadcast-over.ts";
import { latencySeconds } from "./latency.ts";
import { boundSeeks } from "./live-edge.ts";
import { playWhenReady, startSeconds } from "./live-start.ts";
import { offerUnmute } from "./unmute.ts";

const UPDATE_MS = 500;
/** Shows the live indicator: a button that seeks to the live edge, and the latency. */
export function showLive(root: HTMLElement, video: HTMLVideoElement, hls: HlsPlayer, onEnd: () => void): void {
  let isLive = false;
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    if (details.live && !isLive) {
      isLive = true;
      setTitle(root, "Live");
      root.classList.add("live");
      root.setAttribute("defaultstreamtype", "live");
      boundSeeks(root, video, hls);
      video.muted = true; // browsers block autoplay with sound
      offerUnmute(root, video);
      playWhenReady(root, video, startSeconds(details.partList === null ? null : details.partTarget));
    }
  });
  video.addEventListener("ended", () => isLive && onEnd());
  const label = root.querySelector(".latency");
  const timer = setInterval(() => {
    if (!root.isConnected && isLive) return clearInterval(timer);
    const seconds = isLive && !video.paused ? latencySeconds(hls.playingDate, Date.now(), hls.latency) : null;
    if (label) label.textContent = seconds === null ? "" : `${seconds.toFixed(1)} s behind`;
  }, UPDATE_MS);
}
