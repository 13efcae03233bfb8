import type { Protection } from "../cenc/content-key.ts";
import { targetDuration } from "../manifest/bandwidth.ts";
import type { MediaList } from "../manifest/model.ts";
import { type RenditionSpan, spansOf } from "../manifest/spans.ts";
import { segmentSeconds } from "./attributes.ts";
import { keyTags } from "./key-tags.ts";

/**
 * A media playlist (RFC 8216 §4.3.3). A complete one never changes. A growing one has type EVENT, makes players start at the beginning,
 * offers blocking reloads while it has one segment (`offersBlockingReload`), and gets EXT-X-ENDLIST only when it is complete.
 *
 * @param firstNumber the number in the first segment's file name
 * @param protection of encrypted media; null = the media is clear
 */
export function mediaPlaylist(list: MediaList, firstNumber = 0, protection: Protection | null = null): string {
  const { rendition, isComplete, durationTicks } = list;
  const seconds = segmentSeconds(durationTicks, rendition.timescale);
  const spans = spansOf(rendition);
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${targetDuration(rendition)}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    `#EXT-X-PLAYLIST-TYPE:${isComplete ? "VOD" : "EVENT"}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(isComplete ? [] : ["#EXT-X-START:TIME-OFFSET=0"]),
    ...(offersBlockingReload(list) ? ["#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES"] : []),
    ...keyTags(protection),
    ...spans.flatMap((span, n) => [
      ...beginning(span, spans[n - 1], rendition.name),
      ...seconds.slice(span.first, span.first + span.count).flatMap((duration, position) => [
        // Players skip a gap (RFC 8216bis §4.4.4.7).
        ...(span.isGap ? ["#EXT-X-GAP"] : []),
        `#EXTINF:${duration},`,
        `${rendition.name}/${firstNumber + span.first + position}.m4s`,
      ]),
    ]),
    ...(isComplete ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}

/**
 * Whether a reload of the list is held until the next segment is listed (RFC 8216bis §6.2.5.2). Lists of more segments are not held:
 * Shaka 5.2 ends a video too early when it switches renditions during the reload that brings the last segment (decision 0017).
 */
export const offersBlockingReload = ({ isComplete, segmentCount }: Pick<MediaList, "isComplete" | "segmentCount">) =>
  !isComplete && segmentCount === 1;

function beginning(span: RenditionSpan, before: RenditionSpan | undefined, name: string): string[] {
  const { isDiscontinuous, initFile, capturedAtMs } = span;
  return [
    ...(isDiscontinuous ? ["#EXT-X-DISCONTINUITY"] : []),
    ...(initFile === before?.initFile ? [] : [`#EXT-X-MAP:URI="${name}/${initFile}"`]),
    // Only once: later dates would make players insert time for interruptions of the broadcast.
    ...(before !== undefined || capturedAtMs === null
      ? []
      : [`#EXT-X-PROGRAM-DATE-TIME:${new Date(capturedAtMs).toISOString()}`]),
  ];
}
