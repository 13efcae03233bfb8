/** Elements of the controls' menu, as far as they are used. */
interface MenuItem extends HTMLElement {
  type: string;
  value: string;
}
interface Menu extends HTMLElement {
  value: string;
}

/**
 * Marks the chapters on the time line, names them above it, and lists them in the settings menu, where a chapter is selected to go there. The controls
 * take the marks from a text track of this kind.
 *
 * @param url of their WebVTT; null = the media has none
 */
export function showChapters(root: HTMLElement, video: HTMLVideoElement, url: string | null): void {
  if (url === null) return;
  const element = document.createElement("track");
  Object.assign(element, { kind: "chapters", label: "Chapters", default: true, src: url });
  element.addEventListener("load", () => list(root, video, element.track));
  video.append(element);
}

function list(root: HTMLElement, video: HTMLVideoElement, track: TextTrack): void {
  const cues = [...(track.cues ?? [])] as VTTCue[];
  if (cues.length === 0) return;
  // Not before: the menu gives the focus to its first entry, also when that is hidden.
  const entry = document.createElement("media-settings-menu-item");
  entry.className = "chapters";
  entry.innerHTML =
    'Chapters<media-chrome-menu slot="submenu" hidden><div slot="title">Chapters</div></media-chrome-menu>';
  const menu = entry.querySelector<Menu>("media-chrome-menu")!;
  menu.append(...cues.map(toItem));
  root.querySelector("media-settings-menu")?.prepend(entry);
  let isFollowing = false; // the menu tells of its own changes, too
  menu.addEventListener("change", () => {
    if (!isFollowing) video.currentTime = Number(menu.value);
  });
  track.addEventListener("cuechange", () => {
    const [active] = [...(track.activeCues ?? [])];
    if (active === undefined) return;
    isFollowing = true;
    menu.value = String(active.startTime);
    isFollowing = false;
  });
}

function toItem({ startTime, text }: VTTCue): HTMLElement {
  const item = document.createElement("media-chrome-menu-item") as MenuItem;
  item.type = "radio";
  item.value = String(startTime);
  const label = document.createElement("span");
  label.textContent = `${clock(startTime)}  ${plain(text)}`;
  item.append(label);
  return item;
}

/** Without the entities of WebVTT. */
const plain = (text: string): string =>
  new DOMParser().parseFromString(text, "text/html").documentElement.textContent ?? "";

/** `M:SS`, or `H:MM:SS` */
function clock(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
