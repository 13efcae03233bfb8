/**
 * Time from the capture of the newest listed picture until now, in ms; null when the playlist does not contain the whole broadcast.
 *
 * Uses the broadcaster's clock. The playlist's dates are not accurate enough: they follow the first estimate of the capture time
 * (docs/decisions/0014-dates-follow-the-media.md), which is late on a machine that is still busy with the start.
 *
 * @param playlist of one rendition @param firstCapturedAtMs when the broadcast's first picture was captured, epoch ms
 */
export function edgeLatencyMs(playlist: string, firstCapturedAtMs: number, nowMs: number): number | null {
  if (!/^#EXT-X-MEDIA-SEQUENCE:1$/m.test(playlist) || playlist.includes("#EXT-X-DISCONTINUITY")) return null;
  return Math.max(0, Math.round(nowMs - firstCapturedAtMs - 1000 * listedSeconds(playlist)));
}

/** Complete segments, and the parts of the incomplete one. */
function listedSeconds(playlist: string): number {
  const durations = (tag: string, text: string) =>
    [...text.matchAll(new RegExp(`^#${tag}([\\d.]+)`, "gm"))].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
  const newest = playlist.slice(Math.max(0, playlist.lastIndexOf("#EXTINF:"))); // parts of complete segments are listed before the segment
  return durations("EXTINF:", playlist) + durations("EXT-X-PART:DURATION=", newest);
}
