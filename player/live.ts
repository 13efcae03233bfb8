import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import { playWhenReady, startSeconds } from "./live-start.ts";

const UPDATE_MS = 500;
/** A larger difference means that the viewer's clock is wrong. */
const SANE_SECONDS = 3600;

/** Time from capture to display of the current picture, in seconds; null when unknown. */
function latencySeconds(playing: Date | null, nowMs: number): number | null {
  if (playing === null) return null;
  const seconds = (nowMs - playing.getTime()) / 1000;
  return seconds >= 0 && seconds < SANE_SECONDS ? seconds : null;
}

/** Shows the live indicator: a button that seeks to the live edge, and the latency. */
export function showLive(root: HTMLElement, video: HTMLVideoElement, hls: HlsPlayer, onEnd: () => void): void {
  let isLive = false;
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    if (details.live && !isLive) {
      isLive = true;
      root.classList.add("live");
      root.setAttribute("defaultstreamtype", "live");
      video.muted = true; // browsers block autoplay with sound
      playWhenReady(root, video, startSeconds(details.partList === null ? null : details.partTarget));
    }
  });
  video.addEventListener("ended", () => isLive && onEnd());
  const label = root.querySelector(".latency");
  const timer = setInterval(() => {
    if (!root.isConnected && isLive) return clearInterval(timer);
    const seconds = isLive && !video.paused ? latencySeconds(hls.playingDate, Date.now()) : null;
    if (label) label.textContent = seconds === null ? "" : `${seconds.toFixed(1)} s behind`;
  }, UPDATE_MS);
}
