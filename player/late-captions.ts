import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import { listedCaptions } from "./listed-captions.ts";
import { playWhenReady, startSeconds } from "./live-start.ts";

/** Between readings of the list: soon after playback has begun, when most broadcasts show their first caption, and once a minute later. */
const PAUSES_MS = [2000, 4000, 8000, 16_000, 32_000];
const LAST_PAUSE_MS = 60_000;

/**
 * Offers the captions of a broadcast that are listed after the page has loaded: a channel is listed once it has shown text, and hls.js reads
 * the list of renditions once. The first choice of such a channel loads the broadcast again, at its live position.
 */
export function offerLateCaptions(root: HTMLElement, video: HTMLVideoElement, hls: HlsPlayer): void {
  const offered = new Map<TextTrack, HTMLTrackElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let readings = 0;
  let isOver = false;

  const read = async () => {
    const listed = await listedCaptions(hls.url);
    if (isOver) return;
    for (const { name, language, kind } of listed.filter((one) => !isOffered(video, one.name))) {
      const element = document.createElement("track");
      Object.assign(element, { label: name, srclang: language, kind });
      video.append(element);
      offered.set(element.track, element);
    }
    readNext();
  };
  const readNext = () => (timer = setTimeout(() => void read(), PAUSES_MS[readings++] ?? LAST_PAUSE_MS));

  const end = () => {
    isOver = true;
    clearTimeout(timer);
  };
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    if (!details.live) end();
    else if (readings === 0) readNext();
  });
  hls.on(Events.DESTROYING, end);
  hls.on(Events.SUBTITLE_TRACKS_UPDATED, (_event, { subtitleTracks }) => {
    for (const [track, element] of offered)
      if (subtitleTracks.some(({ name }) => name === track.label)) {
        element.remove(); // hls.js has it by now
        offered.delete(track);
      }
  });
  video.textTracks.addEventListener("change", () => {
    const chosen = [...offered.keys()].find(({ mode }) => mode === "showing");
    if (chosen === undefined) return;
    for (const element of offered.values()) element.remove();
    offered.clear();
    loadAgain(root, video, hls, chosen);
  });
}

const isOffered = ({ textTracks }: HTMLVideoElement, name: string): boolean =>
  [...textTracks].some(({ label }) => label === name);

/** hls.js selects the captions by its preference, and keeps what the viewer has chosen of sound and picture. */
function loadAgain(root: HTMLElement, video: HTMLVideoElement, hls: HlsPlayer, chosen: TextTrack): void {
  const { url, audioTracks, audioTrack, manualLevel, latestLevelDetails: details } = hls;
  if (url === null) return;
  const sound = audioTracks[audioTrack];
  hls.config.subtitlePreference = { name: chosen.label };
  if (sound !== undefined) hls.config.audioPreference = { name: sound.name };
  if (manualLevel >= 0) hls.once(Events.MANIFEST_PARSED, () => (hls.nextLevel = manualLevel));
  const isPlaying = !video.paused;
  hls.loadSource(url);
  if (isPlaying) playWhenReady(root, video, startSeconds(details?.partList ? details.partTarget : null));
}
