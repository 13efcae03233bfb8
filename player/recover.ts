import type HlsPlayer from "hls.js";
import { ErrorTypes, Events } from "hls.js";

/**
 * For so long loads may fail, without one that succeeds and with nothing left to play, before playback ends. hls.js by itself
 * tries each rendition in turn, which takes a minute or more until it gives up.
 */
const FAILING_MS = 30_000;

/** Recovers once from each kind of fatal error. A second one, or half a minute of failed loads, ends playback. */
export function recover(
  hls: HlsPlayer,
  video: HTMLVideoElement,
  giveUp: (code: string, message: string) => void,
): void {
  const tried = new Set<string>();
  let failingSinceMs: number | null = null;
  const isStarved = () => navigator.onLine && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  hls.on(Events.FRAG_LOADED, () => (failingSinceMs = null));
  hls.on(Events.ERROR, (_event, { type, fatal, details, error }) => {
    const nowMs = performance.now();
    if (type === ErrorTypes.NETWORK_ERROR) failingSinceMs = isStarved() ? (failingSinceMs ?? nowMs) : null;
    const isHopeless = failingSinceMs !== null && nowMs - failingSinceMs > FAILING_MS;
    if (!fatal && !isHopeless) return;
    if (isHopeless || tried.has(type)) {
      hls.destroy();
      return giveUp(details, error.message);
    }
    tried.add(type);
    if (type === ErrorTypes.MEDIA_ERROR) hls.recoverMediaError();
    else hls.startLoad();
  });
}
