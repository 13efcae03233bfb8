/** Players that were offline send stored events later. */
const OLDEST_MS = 7 * 24 * 3600_000;

/**
 * When an event happened by our clock, epoch ms. The viewer's clock may be wrong by any amount, so it is compared with ours by the time at
 * which the viewer says that the beacon was sent.
 */
export function eventTimeMs(times: {
  viewerAtMs: number | null;
  sentAtMs: number | null;
  receivedAtMs: number;
}): number {
  const { viewerAtMs, sentAtMs, receivedAtMs } = times;
  if (viewerAtMs === null) return receivedAtMs;
  const atMs = viewerAtMs + (sentAtMs === null ? 0 : receivedAtMs - sentAtMs);
  return atMs > receivedAtMs - OLDEST_MS ? Math.min(atMs, receivedAtMs) : receivedAtMs;
}
