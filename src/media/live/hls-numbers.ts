/**
 * Media sequence numbers in HLS playlists. The first segment is number 1, because hls.js 1.7.4 treats 0 as missing and then reloads the
 * parts of that segment until a part of the next one is listed. File names and DASH count from 0.
 */
const FIRST = 1;

/** `EXT-X-MEDIA-SEQUENCE`, `LAST-MSN` and `_HLS_msn` of a segment. */
export const hlsNumberOf = (msn: number): number => msn + FIRST;

/** The segment of an HLS number; below 0 for numbers before the first segment. */
export const msnOfHls = (number: number): number => number - FIRST;
