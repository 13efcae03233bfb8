import { TEXT_SEGMENT_MS } from "../captions/segments.ts";

/** A segment of subtitles, or a part of one, on the timeline of HLS. */
export interface TextPiece {
  /** Number of the segment, from 0. */
  number: number;
  startSeconds: number;
  durationSeconds: number;
}

const SEGMENT_SECONDS = TEXT_SEGMENT_MS / 1000;
/** Parts of segments are longer than this. */
const LEAST_SECONDS = 0.001;
/** A segment of the picture differs from the nominal duration by less. */
const END_TOLERANCE_SECONDS = 0.1;

/** The segments between two times. The first and the last may be parts of segments. */
export function piecesBetween(startSeconds: number, endSeconds: number): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = startSeconds;
  let number = Math.floor((startSeconds + LEAST_SECONDS) / SEGMENT_SECONDS);
  do {
    const end = (number + 1) * SEGMENT_SECONDS;
    const to = end > endSeconds - LEAST_SECONDS ? endSeconds : end;
    pieces.push({ number, startSeconds: from, durationSeconds: Math.max(to - from, LEAST_SECONDS) });
    from = to;
    number += 1;
  } while (from < endSeconds);
  return pieces;
}

/** The segments of a media without spans; only complete ones while it grows. */
export function piecesUntil(endSeconds: number, isComplete: boolean): TextPiece[] {
  const whole = Math.floor((endSeconds + END_TOLERANCE_SECONDS) / SEGMENT_SECONDS);
  const pieces = Array.from({ length: whole }, (_, number) => ({
    number,
    startSeconds: number * SEGMENT_SECONDS,
    durationSeconds: SEGMENT_SECONDS,
  }));
  const restSeconds = endSeconds - whole * SEGMENT_SECONDS;
  if (!isComplete || (restSeconds <= 0 && whole > 0)) return pieces;
  return [
    ...pieces,
    { number: whole, startSeconds: whole * SEGMENT_SECONDS, durationSeconds: Math.max(restSeconds, LEAST_SECONDS) },
  ];
}
