/**
 * Media sequence numbers as HLS has them: a session's first segment is number 1, not 0, because hls.js (1.7.4) takes 0 for no number, and
 * then loads the parts of that segment again and again until a part of the next one is listed. File names and DASH count from 0.
 */
const FIRST = 1;

/** `EXT-X-MEDIA-SEQUENCE`, `LAST-MSN` and `_HLS_msn` of a segment. */
export const hlsNumberOf = (msn: number): number => msn + FIRST;

/** The segment that a player means; below 0 for what lies before the first one. */
export const msnOfHls = (number: number): number => number - FIRST;
