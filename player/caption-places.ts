/** Keeps captions clear of the controls while these are shown. The style of `captions-low` and `captions-high` moves the captions. */

/** Kinds of text tracks that browsers paint over the picture. */
const PAINTED: ReadonlySet<TextTrackKind> = new Set(["captions", "subtitles"]);
/** Lines from the top, and percent of the height: cues above them are at the top. */
const [HIGH_LINE, HIGH_PERCENT] = [5, 40];

export function placeCaptions(root: HTMLElement, video: HTMLVideoElement): void {
  const update = () => {
    const cues = Array.from(video.textTracks)
      .filter(({ kind, mode }) => PAINTED.has(kind) && mode === "showing")
      .flatMap(({ activeCues }) => Array.from(activeCues ?? []) as VTTCue[]);
    const highCues = cues.filter(isHigh).length;
    // Captions at both ends stay where they are: all of them are moved together.
    root.classList.toggle("captions-low", cues.length > 0 && highCues === 0);
    root.classList.toggle("captions-high", highCues > 0 && highCues === cues.length);
  };
  video.textTracks.addEventListener("addtrack", ({ track }) => track?.addEventListener("cuechange", update));
  video.textTracks.addEventListener("change", update);

  publishHeight(root, "--controls-height", ":scope > media-control-bar");
  publishHeight(root, "--title-height", ":scope > .title");
}

/** Keeps the height of all these elements in a custom property. */
function publishHeight(root: HTMLElement, property: string, selector: string): void {
  const elements = [...root.querySelectorAll<HTMLElement>(selector)];
  const observer = new ResizeObserver(() => {
    const heightPx = elements.reduce((sum, element) => sum + element.offsetHeight, 0);
    root.style.setProperty(property, `${heightPx}px`);
  });
  for (const element of elements) observer.observe(element);
}

function isHigh({ line, snapToLines }: VTTCue): boolean {
  return typeof line === "number" && line >= 0 && line < (snapToLines ? HIGH_LINE : HIGH_PERCENT);
}
