/** Who asked for a playlist within this time is watching. */
export const VIEWER_MS = 30_000;

/** More are not counted: what stands for them takes some 10 MB of memory. */
export const MAX_VIEWERS = 50_000;
/** Players at one address that count as different viewers: a program's name is whatever its client says. */
export const MAX_VIEWERS_PER_ADDRESS = 8;
/** Told of at once by an isolate; the others are told of with the next batch. */
export const MAX_BATCH = 2000;

/** What stands for a viewer: `<address>.<program>`, both as hashes. */
const addressOf = (viewer: string): string => viewer.split(".", 1)[0]!;

/** Who watches a session, by what stands for them, and when they were seen last. Times are epoch ms. */
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

/** Collects viewers in front of the window: each is told once in a while, and many of them together. */
export class ViewerBatch {
  readonly #toldAtMs = new Map<string, number>();
  readonly #due = new Set<string>();
  #sentAtMs = -Infinity;
  readonly #againMs: number;
  readonly #paceMs: number;

  /** @param againMs a viewer is told again after this time @param paceMs at most one batch in this time */
  constructor(againMs = 10_000, paceMs = 1000) {
    this.#againMs = againMs;
    this.#paceMs = paceMs;
  }

  /** @returns a batch that is to be told now; null when nothing is */
  see(viewer: string, nowMs: number): string[] | null {
    if (nowMs - (this.#toldAtMs.get(viewer) ?? -Infinity) >= this.#againMs && this.#due.size < MAX_BATCH)
      this.#due.add(viewer);
    if (this.#due.size === 0 || nowMs - this.#sentAtMs < this.#paceMs) return null;
    const batch = [...this.#due];
    this.#due.clear();
    this.#sentAtMs = nowMs;
    for (const [known, toldAtMs] of this.#toldAtMs) if (nowMs - toldAtMs >= this.#againMs) this.#toldAtMs.delete(known);
    for (const told of batch) this.#toldAtMs.set(told, nowMs);
    return batch;
  }
}
