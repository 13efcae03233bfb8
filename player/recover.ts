import type HlsPlayer from "hls.js";
import { ErrorDetails, ErrorTypes, Events } from "hls.js";
import { mediaRecovery } from "./damaged-media.ts";
import { refusedFragments } from "./refused-fragment.ts";

/**
 * For so long loads may fail, without one that succeeds and with nothing left to play, before playback ends. hls.js by itself
 * tries each rendition in turn, which takes a minute or more until it gives up.
 */
const FAILING_MS = 30_000;
/** What Chromium says of an element whose buffer has refused a fragment. */
const IS_REFUSED = /APPEND_FAILED/;

/** Recovers once from each kind of fatal error, and from damaged media as long as playback goes on. Otherwise ends playback. */
export function recover(
  hls: HlsPlayer,
  video: HTMLVideoElement,
  giveUp: (code: string, message: string) => void,
): void {
  const recoverMedia = mediaRecovery(hls, video);
  const takeRefused = refusedFragments(hls);
  const tried = new Set<string>();
  let failingSinceMs: number | null = null;
  const isStarved = () => navigator.onLine && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  const end = (code: string, message: string) => {
    hls.destroy();
    giveUp(code, message);
  };
  // hls.js notices an error of the element only when it next appends, which is never once all is buffered. When it notices first, its media
  // source has been replaced, and the element has no error any more. It reports a refused fragment by itself.
  video.addEventListener("error", () => {
    const { error } = video;
    if (error === null || IS_REFUSED.test(error.message)) return;
    if (!recoverMedia()) end(`${error.code}`, error.message);
  });
  hls.on(Events.FRAG_LOADED, () => (failingSinceMs = null));
  hls.on(Events.ERROR, (_event, { type, fatal, details, error }) => {
    const nowMs = performance.now();
    if (type === ErrorTypes.NETWORK_ERROR) failingSinceMs = isStarved() ? (failingSinceMs ?? nowMs) : null;
    const isHopeless = failingSinceMs !== null && nowMs - failingSinceMs > FAILING_MS;
    if (isHopeless) return end(details, error.message);
    // hls.js recovers from this one by itself, but neither continues playback nor leaves the damaged fragment.
    const isReset = details === ErrorDetails.MEDIA_SOURCE_REQUIRES_RESET;
    if (!fatal && !isReset) return;
    if (type === ErrorTypes.MEDIA_ERROR) {
      if (!recoverMedia(takeRefused())) end(details, error.message);
      return;
    }
    if (tried.has(type)) return end(details, error.message);
    tried.add(type);
    hls.startLoad();
  });
}
