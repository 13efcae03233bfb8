/** A larger difference means that the viewer's clock is wrong. */
const SANE_SECONDS = 3600;

/**
 * Time from capture to display of the current picture, in seconds; null when unknown. Pure.
 *
 * The capture time is an estimate of the gateway, from when the media arrived, and can be seconds late after an encoder has sent a burst. The
 * picture is at least as old as the media that has been published after it.
 *
 * @param playing capture time of the picture, from the playlist
 * @param behindEdgeSeconds distance from the live edge of the playlist
 */
export function latencySeconds(playing: Date | null, nowMs: number, behindEdgeSeconds: number): number | null {
  if (playing === null) return null;
  const seconds = (nowMs - playing.getTime()) / 1000;
  return seconds >= 0 && seconds < SANE_SECONDS ? Math.max(seconds, behindEdgeSeconds) : null;
}
