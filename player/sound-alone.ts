/** Of inactivity, after which the controls leave the picture. */
const HIDE_AFTER_SECONDS = "2";
const NEVER = "-1";

/** Keeps the controls in view while there is no picture that they would cover. */
export function keepControlsOfSound(root: HTMLElement, video: HTMLVideoElement): void {
  const update = () => root.setAttribute("autohide", video.videoWidth > 0 ? HIDE_AFTER_SECONDS : NEVER);
  video.addEventListener("loadedmetadata", update);
  video.addEventListener("resize", update);
}
