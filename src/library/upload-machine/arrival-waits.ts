import type { UploadProgress } from "../uploads/upload-calls.ts";

/** Shorter than the 10 s for which hls.js waits for the first byte of a segment. */
const MAX_WAIT_MS = 8000;
/** Reads that wait for one upload. */
const MAX_WAITS = 128;

interface Wait {
  untilBytes: number;
  end: () => void;
}

/** Reads that wait for bytes of an upload that is still coming in. */
export class ArrivalWaits {
  readonly #waits = new Set<Wait>();
  readonly #progress: () => UploadProgress;

  constructor(progress: () => UploadProgress) {
    this.#progress = progress;
  }

  get size(): number {
    return this.#waits.size;
  }

  /** @returns whether the first `untilBytes` bytes are stored, as soon as they are; false on timeout, at the end of the upload, or beyond `MAX_WAITS` */
  async wait(untilBytes: number): Promise<boolean> {
    if (this.#isOver(untilBytes) || this.#waits.size >= MAX_WAITS) return this.#hasArrived(untilBytes);
    await new Promise<void>((done) => {
      const end = () => {
        clearTimeout(timer);
        this.#waits.delete(wait);
        done();
      };
      const wait: Wait = { untilBytes, end };
      const timer = setTimeout(end, MAX_WAIT_MS);
      this.#waits.add(wait);
    });
    return this.#hasArrived(untilBytes);
  }

  /** Ends the waits that are over. Call after every change of the progress. */
  releaseDue(): void {
    for (const { untilBytes, end } of this.#waits) if (this.#isOver(untilBytes)) end();
  }

  #isOver(untilBytes: number): boolean {
    return this.#progress().status !== "waiting" || this.#hasArrived(untilBytes);
  }

  #hasArrived(untilBytes: number): boolean {
    return this.#progress().storedBytes >= untilBytes;
  }
}
