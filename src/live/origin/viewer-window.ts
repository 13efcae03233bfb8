/** A client that requested a playlist within this time counts as a viewer. */
export const VIEWER_MS = 30_000;

/** The highest count. This many hashes take about 10 MB of memory. */
export const MAX_VIEWERS = 50_000;
/** Limits viewers per address, because clients choose the user agent that distinguishes them. */
export const MAX_VIEWERS_PER_ADDRESS = 8;
/** Viewers that an isolate reports in one call. The rest follow in the next batch. */
export const MAX_BATCH = 2000;

/** @param viewer `<address>.<program>`, both hashed */
const addressOf = (viewer: string): string => viewer.split(".", 1)[0]!;

/** The viewers of a session, as hashes, and when each was last seen. Times are epoch ms. */
export class ViewerWindow {
  readonly #seenAtMs = new Map<string, number>();
  readonly #ofAddress = new Map<string, number>();

  see(viewers: string[], atMs: number): void {
    for (const viewer of viewers) {
      const address = addressOf(viewer);
      if (!this.#seenAtMs.has(viewer)) {
        const known = this.#ofAddress.get(address) ?? 0;
        if (known >= MAX_VIEWERS_PER_ADDRESS || this.#seenAtMs.size >= MAX_VIEWERS) continue;
        this.#ofAddress.set(address, known + 1);
      }
      this.#seenAtMs.set(viewer, atMs);
    }
  }

  count(nowMs: number): number {
    for (const [viewer, seenAtMs] of this.#seenAtMs) if (nowMs - seenAtMs >= VIEWER_MS) this.#forget(viewer);
    return this.#seenAtMs.size;
  }

  #forget(viewer: string): void {
    this.#seenAtMs.delete(viewer);
    const address = addressOf(viewer);
    const left = (this.#ofAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
  }
}

/** Batches viewers before they are reported. Each viewer is reported at most once per `againMs`. */
export class ViewerBatch {
  readonly #reportedAtMs = new Map<string, number>();
  readonly #due = new Set<string>();
  #sentAtMs = -Infinity;
  readonly #againMs: number;
  readonly #paceMs: number;

  /** @param againMs a viewer is reported again after this time @param paceMs at most one batch in this time */
  constructor(againMs = 10_000, paceMs = 1000) {
    this.#againMs = againMs;
    this.#paceMs = paceMs;
  }

  /** @returns the batch to report now; null when none is due */
  see(viewer: string, nowMs: number): string[] | null {
    if (nowMs - (this.#reportedAtMs.get(viewer) ?? -Infinity) >= this.#againMs && this.#due.size < MAX_BATCH)
      this.#due.add(viewer);
    if (this.#due.size === 0 || nowMs - this.#sentAtMs < this.#paceMs) return null;
    const batch = [...this.#due];
    this.#due.clear();
    this.#sentAtMs = nowMs;
    for (const [known, toldAtMs] of this.#reportedAtMs)
      if (nowMs - toldAtMs >= this.#againMs) this.#reportedAtMs.delete(known);
    for (const reported of batch) this.#reportedAtMs.set(reported, nowMs);
    return batch;
  }
}
