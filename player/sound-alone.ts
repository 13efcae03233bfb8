/** The controls leave the picture after this much inactivity. */
const HIDE_AFTER_SECONDS = "2";
const NEVER = "-1";

/** Keeps the controls in view while there is no picture that they would cover, and marks the player for its style. */
export function keepControlsOfSound(root: HTMLElement, video: HTMLVideoElement): void {
  const update = () => {
    const isSoundAlone = video.videoWidth === 0;
    root.setAttribute("autohide", isSoundAlone ? NEVER : HIDE_AFTER_SECONDS);
    root.classList.toggle("sound-alone", isSoundAlone);
  };
  video.addEventListener("loadedmetadata", update);
  video.addEventListener("resize", update);
}
