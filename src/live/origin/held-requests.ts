import type { OriginSession } from "../../media/live/origin-facts.ts";
import { contains } from "../../media/live/reload.ts";
import { type LivePlace, segmentAt } from "../../media/live/timeline.ts";
import type { OriginIndex } from "./index/origin-index.ts";

/** A request held longer than this many target durations is answered 503 (RFC 8216bis §6.2.5.2). */
const MAX_WAIT_TARGETS = 3;

interface HeldRequest {
  rendition: string;
  place: LivePlace;
  isMedia: boolean;
  release: () => void;
}

/** Requests that wait for a segment or part. */
export class HeldRequests {
  readonly #held = new Set<HeldRequest>();
  readonly #index: () => OriginIndex;

  constructor(index: () => OriginIndex) {
    this.#index = index;
  }

  /**
   * @param isMedia the request is for the part itself and does not wait beyond the part's segment
   * @returns true when the place exists or will never exist; false on timeout
   */
  async wait(name: string, place: LivePlace, { timing }: OriginSession, isMedia = false): Promise<boolean> {
    const rendition = this.#index().rendition(name);
    if (rendition !== null && contains(rendition, place)) return true;
    return new Promise((done) => {
      const finish = (isThere: boolean) => {
        clearTimeout(timer);
        this.#held.delete(request);
        done(isThere);
      };
      const request: HeldRequest = { rendition: name, place, isMedia, release: () => finish(true) };
      const timer = setTimeout(() => finish(false), MAX_WAIT_TARGETS * timing.targetDurationSeconds * 1000);
      this.#held.add(request);
    });
  }

  /** Answers the requests that need not wait any longer. Call after every change of the index. */
  releaseDue(): void {
    for (const { rendition: name, place, isMedia, release } of this.#held) {
      const rendition = this.#index().rendition(name);
      const isOver = rendition === null || rendition.hasEnded || contains(rendition, place);
      // A whole segment gets no further parts.
      if (isOver || (isMedia && segmentAt(rendition, place.msn)?.isWhole === true)) release();
    }
  }
}
