import { TEXT_SEGMENT_MS } from "../captions/segments.ts";
import { type Presentation, segmentsFolder, type TextTrack } from "../manifest/model.ts";
import { timedSpans } from "../manifest/spans.ts";
import { piecesBetween, piecesUntil, type TextPiece } from "../manifest/text-pieces.ts";

/**
 * The media playlist of a subtitle track (RFC 8216 §3.5): WebVTT segments of a fixed duration, up to the end of the media. A complete one
 * never changes. A growing one has the segments that the picture has. Segments of a broadcast's recording are parted where its spans are,
 * because each span has a clock of its own; the playlist has the discontinuities of the others (RFC 8216 §6.2.4).
 *
 * @param track its segments are in a folder beside this playlist
 */
export function textPlaylist(presentation: Presentation, track: Pick<TextTrack, "id" | "folder">): string {
  const { isComplete, textEndSeconds, videoSets, audio } = presentation;
  const rows = [...videoSets.flat(), ...audio];
  const isBroadcast = rows.some(({ segments }) => segments.spans !== undefined);
  const entry = ({ durationSeconds }: TextPiece, file: string) => [
    `#EXTINF:${durationSeconds.toFixed(6)},`,
    `${segmentsFolder(track)}/${file}.vtt`,
  ];
  const entries = isBroadcast
    ? timedSpans(rows).flatMap(({ startSeconds, durationSeconds, isDiscontinuous }, span) => [
        ...(isDiscontinuous ? ["#EXT-X-DISCONTINUITY"] : []),
        ...piecesBetween(startSeconds, startSeconds + durationSeconds).flatMap((piece) =>
          entry(piece, `${piece.number}-${span}`),
        ),
      ])
    : piecesUntil(textEndSeconds, isComplete).flatMap((piece) => entry(piece, String(piece.number)));
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${TEXT_SEGMENT_MS / 1000}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    `#EXT-X-PLAYLIST-TYPE:${isComplete ? "VOD" : "EVENT"}`,
    ...(isComplete ? [] : ["#EXT-X-START:TIME-OFFSET=0"]),
    ...entries,
    ...(isComplete ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}
