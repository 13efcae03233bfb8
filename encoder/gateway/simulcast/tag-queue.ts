/** Bounded queue of tags for a target. When it is full, whole groups of pictures are dropped, oldest first. */
import { once, EventEmitter } from "node:events";
import { type FlvTag, TAG } from "./flv-tags.ts";

/** Maximum bytes queued for a slow target. */
export const SIMULCAST_QUEUE_BYTES = 8 << 20;

export class TagQueue {
  readonly #maxBytes: number;
  readonly #changed = new EventEmitter();
  #tags: FlvTag[] = [];
  #bytes = 0;
  #hasEnded = false;
  /** Without a picture, every audio tag is an entry point. */
  #hasPicture: boolean;
  #waitsForKeyFrame = true;
  /** Tags dropped so far. */
  dropped = 0;

  constructor(maxBytes: number, hasPicture: boolean) {
    this.#maxBytes = maxBytes;
    this.#hasPicture = hasPicture;
  }

  push(tag: FlvTag): void {
    if (this.#isEntry(tag)) this.#waitsForKeyFrame = false;
    else if (this.#waitsForKeyFrame && !tag.isHeader) {
      this.dropped += 1;
      return;
    }
    this.#tags.push(tag);
    this.#bytes += tag.data.length;
    while (this.#bytes > this.#maxBytes && this.#dropGroup());
    this.#changed.emit("more");
  }

  end(): void {
    this.#hasEnded = true;
    this.#changed.emit("more");
  }

  /** Returns null at the end. */
  async next(): Promise<FlvTag | null> {
    while (this.#tags.length === 0 && !this.#hasEnded) await once(this.#changed, "more");
    const tag = this.#tags.shift() ?? null;
    this.#bytes -= tag?.data.length ?? 0;
    return tag;
  }

  #isEntry(tag: FlvTag): boolean {
    return tag.isKeyFrame || (!this.#hasPicture && tag.type === TAG.audio && !tag.isHeader);
  }

  /** Drops tags up to the next entry point. Without one, drops all tags until an entry point arrives. */
  #dropGroup(): boolean {
    const first = this.#tags.findIndex(({ isHeader }) => !isHeader);
    if (first === -1) return false;
    const next = this.#tags.findIndex((tag, i) => i > first && this.#isEntry(tag));
    const until = next === -1 ? this.#tags.length : next;
    if (next === -1) this.#waitsForKeyFrame = true;
    const kept = this.#tags.slice(0, until).filter(({ isHeader }) => isHeader);
    this.dropped += until - kept.length;
    this.#tags = [...kept, ...this.#tags.slice(until)];
    this.#bytes = this.#tags.reduce((bytes, { data }) => bytes + data.length, 0);
    return true;
  }
}
