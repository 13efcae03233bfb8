import type HlsPlayer from "hls.js";
import { Events } from "hls.js";
import type { Images } from "./images.ts";

/** Viewers share the pictures of these times, so that few are made. */
const STEP_SECONDS = 10;
const WIDTH_PX = 256;
/** Media sequence number of the first segment of a broadcast. */
const FIRST_NUMBER = 1;

/**
 * Previews above the time line of a broadcast that viewers can go back in. The controls take them from a text track of this label. A time has
 * one when a whole step has followed it: pictures are made of whole segments.
 */
export function showDvrPreviews(video: HTMLVideoElement, hls: HlsPlayer, { address }: Pick<Images, "address">): void {
  let track: TextTrack | null = null;
  let nextSeconds = 0;
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    const { videoWidth: width, videoHeight: height } = video;
    // Only of a playlist from the first segment on is the time that of the broadcast.
    if (details.startSN !== FIRST_NUMBER || details.edge < 2 * STEP_SECONDS || width === 0) return;
    track ??= video.addTextTrack("metadata", "thumbnails");
    track.mode = "hidden";
    const place = `#xywh=0,0,${WIDTH_PX},${Math.round((WIDTH_PX * height) / width)}`;
    for (; nextSeconds + 2 * STEP_SECONDS <= details.edge; nextSeconds += STEP_SECONDS) {
      const picture = address("thumbnail.jpg", { time: String(nextSeconds), width: String(WIDTH_PX) });
      const url = new URL(picture, location.href).href + place;
      track.addCue(new VTTCue(nextSeconds, nextSeconds + STEP_SECONDS, url));
    }
  });
}
