/**
 * Passes keys to the controls while no element of the page has focus, so that shortcuts need no Tab first. The controls never take the focus
 * by themselves: in a frame that would scroll the embedding page.
 */
export function forwardKeys(controls: HTMLElement): void {
  for (const type of ["keydown", "keyup"] as const)
    document.addEventListener(type, (event) => {
      const { key, code, shiftKey, ctrlKey, altKey, metaKey, repeat } = event;
      const isShown = controls.closest("main") !== null;
      if (event.target !== document.body || !isShown || ctrlKey || altKey || metaKey) return;
      const copy = new KeyboardEvent(type, { key, code, shiftKey, repeat, cancelable: true });
      if (!controls.dispatchEvent(copy)) event.preventDefault();
    });
}

/** Elements that use the same keys themselves. */
const OWN_KEYS = "media-settings-menu, media-volume-range";

/** Home, End and the digits seek by the request of the controls' own time line: 0 to the start, 5 to the middle of what can be sought. */
export function seekByKeys(controls: HTMLElement, video: HTMLVideoElement): void {
  controls.addEventListener(
    "keydown",
    (event) => {
      const { key, target, shiftKey, ctrlKey, altKey, metaKey } = event;
      const share = shareOf(key);
      const { seekable } = video;
      if (share === null || seekable.length === 0 || shiftKey || ctrlKey || altKey || metaKey) return;
      if (target instanceof Element && target.closest(OWN_KEYS) !== null) return;
      const [start, end] = [seekable.start(0), seekable.end(seekable.length - 1)];
      const detail = start + share * (end - start);
      controls.dispatchEvent(new CustomEvent("mediaseekrequest", { detail }));
      event.preventDefault(); // the page does not scroll, and a focused time line does not seek again
    },
    { capture: true },
  );
}

/** The share of the timeline that a key seeks to; null = another key. */
function shareOf(key: string): number | null {
  if (key === "Home") return 0;
  if (key === "End") return 1;
  return /^[0-9]$/.test(key) ? Number(key) / 10 : null;
}
