import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import { playWhenReady, startSeconds } from "./live-start.ts";

const LOOK_MS = 500;
/** A clock of the viewer's that is further off than this says nothing about the broadcast. */
const SANE_SECONDS = 3600;

/** How far behind its capture the picture is that is shown, in seconds; null when nobody knows. */
export function latencySeconds(playing: Date | null, nowMs: number): number | null {
  if (playing === null) return null;
  const seconds = (nowMs - playing.getTime()) / 1000;
  return seconds >= 0 && seconds < SANE_SECONDS ? seconds : null;
}

/** Shows that a stream is live, and how live: a button that goes back to the edge, and the time since the capture of the picture. */
export function showLive(root: HTMLElement, video: HTMLVideoElement, hls: HlsPlayer, onEnd: () => void): void {
  let isLive = false;
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    if (details.live && !isLive) {
      isLive = true;
      root.classList.add("live");
      root.setAttribute("defaultstreamtype", "live");
      video.muted = true; // browsers start nothing by itself that can be heard
      playWhenReady(root, video, startSeconds(details.partList === null ? null : details.partTarget));
    }
  });
  video.addEventListener("ended", () => isLive && onEnd());
  const label = root.querySelector(".latency");
  const look = setInterval(() => {
    if (!root.isConnected && isLive) return clearInterval(look);
    const seconds = isLive && !video.paused ? latencySeconds(hls.playingDate, Date.now()) : null;
    if (label) label.textContent = seconds === null ? "" : `${seconds.toFixed(1)} s behind`;
  }, LOOK_MS);
}
