import { TEXT_SEGMENT_MS } from "../captions/segments.ts";
import { type Presentation, segmentsFolder, type TextTrack } from "../manifest/model.ts";
import { piecesBetween, piecesUntil, type TextPiece } from "../manifest/text-pieces.ts";
import type { Period } from "./periods.ts";
import { timeline } from "./segment-template.ts";
import { element, escapeXml } from "./xml.ts";

const TIMESCALE = 1000;

/** Longer than any segment of subtitles, in seconds. */
export const LONGEST_TEXT_SEGMENT_SECONDS = TEXT_SEGMENT_MS / 1000;

/**
 * Whether subtitles are one file for each track. Its times are those of its Period, so it serves a single one, from the beginning. A media that
 * grows has segments: Shaka Player does not load a file whose duration is not known.
 */
export const hasTextFiles = (periods: Period[], isComplete: boolean): boolean =>
  isComplete && periods.length === 1 && periods[0]!.timed.startSeconds === 0;

/**
 * A subtitle track (DASH-IF IOP 4.3 §6.4.5; roles of ISO/IEC 23009-1 §5.8.5.5).
 *
 * @param preferred the track that players show without a choice of the viewer; the others are alternatives to it
 * @param content where its WebVTT is: `textFile` or `textTemplate`
 */
export function textSet(track: TextTrack, id: number, preferred: TextTrack | undefined, content: string): string {
  const roles = [
    track.isForced ? "forced-subtitle" : track.isClosedCaptions ? "caption" : "subtitle",
    ...(preferred === undefined ? [] : [track === preferred ? "main" : "alternate"]),
  ];
  return element(
    "AdaptationSet",
    { id, contentType: "text", mimeType: "text/vtt", lang: track.languageCode },
    `<Label>${escapeXml(track.name)}</Label>`,
    // The schema requires every Accessibility before the first Role. 2 = for the hard of hearing (ETSI TS 102 822-3-1).
    ...(track.isClosedCaptions
      ? [element("Accessibility", { schemeIdUri: "urn:tva:metadata:cs:AudioPurposeCS:2007", value: "2" })]
      : []),
    ...roles.map((value) => element("Role", { schemeIdUri: "urn:mpeg:dash:role:2011", value })),
    element("Representation", { id: `text-${track.id}`, bandwidth: Math.max(1, track.averageBps) }, content),
  );
}

/** FFmpeg 5.1 resolves the address against the MPD and not against the MPD's own BaseURL. This one is the same both ways. */
export const textFile = ({ id }: TextTrack, base: string): string =>
  `<BaseURL>../${escapeXml(base)}/text/${id}.vtt</BaseURL>`;

/**
 * The segments of subtitles in a Period. Their times are those of the whole presentation in HLS, and the offset says which of them the Period
 * begins at, so that players which ignore it show the same.
 */
export function textTemplate(track: TextTrack, pieces: TextPiece[]): string {
  const [first] = pieces;
  const ticks = (seconds: number) => Math.round(seconds * TIMESCALE);
  const startTicks = ticks(first?.startSeconds ?? 0);
  const durations = pieces.map(
    ({ startSeconds, durationSeconds }) => ticks(startSeconds + durationSeconds) - ticks(startSeconds),
  );
  return element(
    "SegmentTemplate",
    {
      timescale: TIMESCALE,
      presentationTimeOffset: startTicks > 0 ? startTicks : null,
      startNumber: first?.number ?? 0,
      media: `text/${segmentsFolder(track)}/$Number$.vtt`,
    },
    element("SegmentTimeline", {}, ...timeline(durations, startTicks)),
  );
}

/** The segments of subtitles that a Period lists. A growing media without a whole one lists what there is of the first. */
export function textPieces(
  { isComplete, textEndSeconds }: Presentation,
  periods: Period[],
  period: Period,
): TextPiece[] {
  const { startSeconds, durationSeconds } = period.timed;
  if (periods.length > 1 || startSeconds > 0) return piecesBetween(startSeconds, startSeconds + durationSeconds);
  const pieces = piecesUntil(textEndSeconds, isComplete);
  return pieces.length > 0 ? pieces : piecesBetween(0, textEndSeconds);
}
