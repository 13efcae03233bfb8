/** A count that has not been renewed for this long is stale. */
const KEEP_MS = 30_000;

/** The number of viewers that the live origin last reported. In memory only. */
export class ViewerCount {
  reported: { sessionId: string; viewers: number; atMs: number } | null = null;

  report(sessionId: string, viewers: number, atMs: number): void {
    this.reported = { sessionId, viewers, atMs };
  }

  /** @returns 0 when there is no recent report about this session */
  read(sessionId: string | undefined, nowMs: number): number {
    const { reported } = this;
    if (reported === null || reported.sessionId !== sessionId) return 0;
    return nowMs - reported.atMs < KEEP_MS ? reported.viewers : 0;
  }
}
