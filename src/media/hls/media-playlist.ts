import { targetDuration } from "../manifest/bandwidth.ts";
import type { MediaList } from "../manifest/model.ts";
import { type Stretch, stretchesOf } from "../manifest/stretches.ts";
import { segmentSeconds } from "./attributes.ts";

/**
 * A media playlist (RFC 8216 §4.3.3). A complete one is final. A growing one is of type EVENT, tells players to start at
 * the beginning, and ends only when it is complete.
 *
 * @param firstNumber what the first segment is called
 */
export function mediaPlaylist({ rendition, isComplete, durationTicks }: MediaList, firstNumber = 0): string {
  const seconds = segmentSeconds(durationTicks, rendition.timescale);
  const stretches = stretchesOf(rendition);
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${targetDuration(rendition)}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    `#EXT-X-PLAYLIST-TYPE:${isComplete ? "VOD" : "EVENT"}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(isComplete ? [] : ["#EXT-X-START:TIME-OFFSET=0"]),
    ...stretches.flatMap((stretch, n) => [
      ...beginning(stretch, stretches[n - 1], rendition.name),
      ...seconds.slice(stretch.first, stretch.first + stretch.count).flatMap((duration, position) => [
        // A gap is passed over (RFC 8216bis §4.4.4.7).
        ...(stretch.isGap ? ["#EXT-X-GAP"] : []),
        `#EXTINF:${duration},`,
        `${rendition.name}/${firstNumber + stretch.first + position}.m4s`,
      ]),
    ]),
    ...(isComplete ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}

function beginning(stretch: Stretch, before: Stretch | undefined, name: string): string[] {
  const { isDiscontinuous, initFile, capturedAtMs } = stretch;
  return [
    ...(isDiscontinuous ? ["#EXT-X-DISCONTINUITY"] : []),
    ...(initFile === before?.initFile ? [] : [`#EXT-X-MAP:URI="${name}/${initFile}"`]),
    // Once: by later ones players would leave time for what was not broadcast.
    ...(before !== undefined || capturedAtMs === null
      ? []
      : [`#EXT-X-PROGRAM-DATE-TIME:${new Date(capturedAtMs).toISOString()}`]),
  ];
}
