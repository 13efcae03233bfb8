import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import type { Images } from "./images.ts";

/** Viewers share the pictures of these times, so that few are made. */
const STEP_SECONDS = 10;
const WIDTH_PX = 256;

/**
 * Previews above the time line of a broadcast that viewers can go back in. The controls take them from a text track of this label. A time has
 * one when a whole step has followed it: pictures are made of whole segments. Timestamps of the media count from the start of the broadcast,
 * while the element counts from the start of the first playlist, which may have lost older segments.
 */
export function showDvrPreviews(video: HTMLVideoElement, hls: HlsPlayer, { address }: Pick<Images, "address">): void {
  let track: TextTrack | null = null;
  /** What to add to a time of the element for the time of the broadcast. */
  let offsetSeconds: number | null = null;
  let nextSeconds: number | null = null;
  hls.on(Events.INIT_PTS_FOUND, (_event, { initPTS, timescale }) => (offsetSeconds ??= initPTS / timescale));
  hls.on(Events.LEVEL_UPDATED, (_event, { details: { fragmentStart, edge } }) => {
    const { videoWidth: width, videoHeight: height } = video;
    if (offsetSeconds === null || edge - fragmentStart < 2 * STEP_SECONDS || width === 0) return;
    track ??= video.addTextTrack("metadata", "thumbnails");
    track.mode = "hidden";
    const place = `#xywh=0,0,${WIDTH_PX},${Math.round((WIDTH_PX * height) / width)}`;
    nextSeconds ??= Math.max(0, Math.floor((fragmentStart + offsetSeconds) / STEP_SECONDS) * STEP_SECONDS);
    for (; nextSeconds + 2 * STEP_SECONDS <= edge + offsetSeconds; nextSeconds += STEP_SECONDS) {
      const picture = address("thumbnail.jpg", { time: String(nextSeconds), width: String(WIDTH_PX) });
      const url = new URL(picture, location.href).href + place;
      const startSeconds = nextSeconds - offsetSeconds;
      track.addCue(new VTTCue(Math.max(0, startSeconds), startSeconds + STEP_SECONDS, url));
    }
  });
}
