/** The page of a stream is titled by what it plays. */
export function setTitle(root: HTMLElement, title: string): void {
  document.title = title;
  const heading = root.querySelector(".title");
  if (heading) heading.textContent = title;
}

/** Says that the broadcast has ended, over the recording that takes its place, until that is played. */
export function showBroadcastOver(root: HTMLElement, video: HTMLVideoElement): void {
  setTitle(root, "Recording");
  const notice = document.createElement("p");
  notice.className = "over";
  notice.slot = "top-chrome";
  notice.setAttribute("role", "status");
  notice.toggleAttribute("noautohide", true);
  notice.append("The broadcast has ended.");
  const next = document.createElement("span");
  next.textContent = " Play its recording here.";
  notice.append(next);
  root.append(notice);
  video.addEventListener("play", () => notice.remove(), { once: true });
}
