import type { OriginStore } from "./origin-store.ts";
import type { LiveSegment } from "../../../media/live/timeline.ts";

const PAGE_SEGMENTS = 512;

/** The stored segments of one rendition by sequence number, read a page at a time. For reads in ascending order. */
export class SegmentPages {
  readonly #store: OriginStore;
  readonly #rendition: string;
  #page: LiveSegment[] = [];
  #firstMsn = 0;
  #endMsn = 0;

  constructor(store: OriginStore, rendition: string) {
    this.#store = store;
    this.#rendition = rendition;
  }

  at(msn: number): LiveSegment | null {
    if (msn < this.#firstMsn || msn >= this.#endMsn) {
      this.#page = this.#store.between(this.#rendition, msn, msn + PAGE_SEGMENTS - 1);
      [this.#firstMsn, this.#endMsn] = [msn, msn + PAGE_SEGMENTS];
    }
    return this.#page[msn - (this.#page[0]?.msn ?? 0)] ?? null;
  }
}
