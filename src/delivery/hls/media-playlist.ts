import { targetDuration } from "../bandwidth.ts";
import type { MediaList } from "../model.ts";
import { segmentSeconds } from "./attributes.ts";

/**
 * A media playlist (RFC 8216 §4.3.3). A complete one is final. A growing one is of type EVENT, tells players to start at
 * the beginning, and ends only when it is complete.
 */
export function mediaPlaylist({ rendition, isComplete, durationTicks }: MediaList): string {
  const { name, timescale } = rendition;
  const seconds = segmentSeconds(durationTicks, timescale);
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${targetDuration(rendition)}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    `#EXT-X-PLAYLIST-TYPE:${isComplete ? "VOD" : "EVENT"}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(isComplete ? [] : ["#EXT-X-START:TIME-OFFSET=0"]),
    `#EXT-X-MAP:URI="${name}/init.mp4"`,
    ...seconds.flatMap((duration, n) => [`#EXTINF:${duration},`, `${name}/${n}.m4s`]),
    ...(isComplete ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}
