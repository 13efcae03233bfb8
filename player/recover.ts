import type HlsPlayer from "hls.js";
import { type ErrorData, ErrorDetails, ErrorTypes, Events } from "hls.js";
import { mediaRecovery } from "./damaged-media.ts";
import { isRefusal, LostNetwork } from "./lost-network.ts";
import { refusedFragments } from "./refused-fragment.ts";

/** Between a fatal error of the network, after which hls.js loads nothing, and the next try. */
const PAUSE_MS = 1000;
/** What Chromium says of an element whose buffer has refused a fragment. */
const IS_APPEND_REFUSED = /APPEND_FAILED/;

/**
 * Recovers from a lost network as long as there is something to play (lost-network.ts), from damaged media as long as playback goes on, and once from
 * each other kind of fatal error. Otherwise ends playback.
 */
export function recover(
  hls: HlsPlayer,
  video: HTMLVideoElement,
  giveUp: (code: string, message: string) => void,
): void {
  const recoverMedia = mediaRecovery(hls, video);
  const takeRefused = refusedFragments(hls);
  const tried = new Set<string>();
  const network = new LostNetwork();
  const loadAgain = restartingLoads(hls);
  const isStarved = () => navigator.onLine && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  const end = (code: string, message: string) => {
    hls.destroy();
    giveUp(code, message);
  };
  // hls.js notices an error of the element only when it next appends, which is never once all is buffered. When it notices first, its media
  // source has been replaced, and the element has no error any more. It reports a refused fragment by itself.
  video.addEventListener("error", () => {
    const { error } = video;
    if (error === null || IS_APPEND_REFUSED.test(error.message)) return;
    if (!recoverMedia()) end(`${error.code}`, error.message);
  });
  hls.on(Events.FRAG_LOADED, () => network.succeeded());
  hls.on(Events.ERROR, (_event, data) => {
    const { type, fatal, details, error, response } = data;
    if (type === ErrorTypes.NETWORK_ERROR) {
      if (isOfCaptions(data)) {
        if (fatal) continueWithoutCaptions(hls, response?.code);
        return;
      }
      const failure = { nowMs: performance.now(), isStarved: isStarved(), status: response?.code };
      if (network.failed(failure)) end(details, error.message);
      else if (fatal) loadAgain();
      return;
    }
    // hls.js recovers from this one by itself, but neither continues playback nor leaves the damaged fragment.
    const isReset = details === ErrorDetails.MEDIA_SOURCE_REQUIRES_RESET;
    if (!fatal && !isReset) return;
    if (type === ErrorTypes.MEDIA_ERROR) {
      if (!recoverMedia(takeRefused())) end(details, error.message);
      return;
    }
    const isHopeless = details === ErrorDetails.KEY_SYSTEM_NO_ACCESS;
    if (isHopeless || tried.has(type)) return end(details, error.message);
    tried.add(type);
    hls.startLoad();
  });
}

/** The types of hls.js are constant enums, which do not exist at run time. */
const isOfCaptions = ({ context, frag }: ErrorData) =>
  `${context?.type}` === "subtitleTrack" || `${frag?.type}` === "subtitle";

/** hls.js has stopped all loads. It has waited between its own tries, so the picture does not have to wait. */
function continueWithoutCaptions(hls: HlsPlayer, status: number | undefined): void {
  if (isRefusal(status)) hls.subtitleTrack = -1;
  hls.startLoad();
}

/** @returns starts loading again after a pause, at which hls.js has stopped. It continues where playback is. */
function restartingLoads(hls: HlsPlayer): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  hls.on(Events.DESTROYING, () => clearTimeout(timer));
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (hls.levels.length > 0) hls.startLoad();
      else if (hls.url !== null) hls.loadSource(hls.url);
    }, PAUSE_MS);
  };
}
