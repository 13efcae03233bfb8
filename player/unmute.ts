/** Live playback starts muted. Offers sound with a button that remains visible until the sound is on. */
export function offerUnmute(root: HTMLElement, video: HTMLVideoElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "unmute";
  button.slot = "top-chrome";
  button.textContent = "Unmute";
  button.toggleAttribute("noautohide", true);
  button.setAttribute("keysused", "Enter Space"); // not for the controls' shortcuts
  root.append(button);
  const used = new AbortController();
  const { signal } = used;
  signal.addEventListener("abort", () => {
    if (button.matches(":focus")) root.focus(); // the keyboard goes on from here
    button.remove();
  });
  button.addEventListener("click", () => (video.muted = false), { signal });
  video.addEventListener("volumechange", () => !video.muted && used.abort(), { signal });
}
