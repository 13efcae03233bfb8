import { TEXT_SEGMENT_MS } from "../captions/segments.ts";
import type { Presentation } from "../manifest/model.ts";

/**
 * The media playlist of a subtitle track (RFC 8216 §3.5): WebVTT segments of a fixed duration, up to the end of the media. A complete one
 * never changes. A growing one has the segments that the picture has.
 *
 * @param trackId stands in the URIs, relative to this playlist
 */
export function textPlaylist({ isComplete, textEndSeconds }: Presentation, trackId: string): string {
  const segmentSeconds = TEXT_SEGMENT_MS / 1000;
  const wholeSegments = Math.floor((textEndSeconds + END_TOLERANCE_SECONDS) / segmentSeconds);
  const restSeconds = isComplete ? textEndSeconds - wholeSegments * segmentSeconds : 0;
  const hasRest = restSeconds > 0 || (isComplete && wholeSegments === 0);
  const segment = (seconds: number, number: number) => `#EXTINF:${seconds.toFixed(6)},\n${trackId}/${number}.vtt`;
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${segmentSeconds}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    `#EXT-X-PLAYLIST-TYPE:${isComplete ? "VOD" : "EVENT"}`,
    ...(isComplete ? [] : ["#EXT-X-START:TIME-OFFSET=0"]),
    ...Array.from({ length: wholeSegments }, (_, number) => segment(segmentSeconds, number)),
    ...(hasRest ? [segment(Math.max(restSeconds, 0.001), wholeSegments)] : []),
    ...(isComplete ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}

/** A segment of the picture differs from the nominal duration by less. */
const END_TOLERANCE_SECONDS = 0.1;
