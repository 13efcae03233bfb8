/**
 * Buffers a broadcast's bytes between the broadcaster and the decoding process. When that process crashes, its successor gets the
 * container's head again and continues at the next entry point.
 */
import { once, EventEmitter } from "node:events";
import { Fifo } from "../../platform/fifo.ts";
import { ContainerUnits, type Unit } from "./container-units.ts";
import { movedFragment } from "./fragment-offsets.ts";

/**
 * Maximum bytes queued for the decoder; beyond that, back-pressure is applied to the broadcaster. The end of a connection is behind its last
 * byte, so it is noticed late once reading has stopped: 30 s of 4 Mbit/s are more than a gateway is behind before it drops rungs.
 */
const MAX_QUEUED_BYTES = 16 << 20;
/** Maximum bytes kept after reading for another decoder; beyond that, the oldest are discarded. */
const MAX_KEPT_BYTES = 16 << 20;
/** Maximum size of a container's head. */
const MAX_HEAD_BYTES = 1 << 20;

/** `sourceAt`: offset of its first byte in the source. */
type QueuedUnit = Unit & { arrivedAtMs: number; sourceAt: number };
/** `at`: offset of its first byte, from the first byte given to its reader. */
type KeptUnit = QueuedUnit & { at: number };

export class SourceBuffer {
  readonly #units = new ContainerUnits();
  /** Head units already read, and head units received. */
  readonly #head = new Map<string, Buffer>();
  readonly #newestHead = new Map<string, Buffer>();
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #listeners = new Set<(unit: Unit) => void>();
  readonly #queued = new Fifo<QueuedUnit>();
  #queuedBytes = 0;
  #sourceBytes = 0;
  #kept: KeptUnit[] = [];
  #keptBytes = 0;
  /** Whether all bytes given to the current reader are still kept. */
  #keepsAll = true;
  /** Bytes given to the current reader. */
  #position = 0;
  #reader = 0;
  #hasEnded = false;
  #isClosed = false;
  #lastByteAtMs: number | null = null;

  /** Arrival time of the newest bytes, on the monotonic clock; null before the first. */
  get lastByteAtMs(): number | null {
    return this.#lastByteAtMs;
  }

  /** Whether the broadcaster's connection is over, whoever ended it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the broadcaster has ended and all bytes have been read. */
  get isSpent(): boolean {
    return this.#hasEnded && this.#queued.length === 0;
  }

  /** Calls the listener with every unit on arrival; it must neither throw nor wait. @returns a function that removes it */
  listen(listener: (unit: Unit) => void): () => void {
    for (const [name, bytes] of sorted(this.#newestHead)) listener({ bytes, head: name, isEntry: false });
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the broadcast until it ends, breaks off or is closed; never rejects. */
  async fill(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of bytes) {
        if (this.#isClosed) break;
        this.#lastByteAtMs = performance.now();
        this.#take(this.#units.push(chunk));
        while (this.#queuedBytes > MAX_QUEUED_BYTES && !this.#isClosed) await once(this.#changed, "read");
      }
    } catch {
      // A broadcast that breaks off has ended; keep the bytes received so far.
    }
    this.#take(this.#units.rest());
    this.#hasEnded = true;
    this.#changed.emit("more");
  }

  /** Discards kept bytes before this position of the current reader; null = keep all. */
  release(position: number | null): void {
    const entry = position === null ? 0 : this.#entryBefore(position);
    for (let count = entry; count > 0; count -= 1) this.#discardOldest();
  }

  /**
   * Makes the next reader start at the last entry point before this position of the current one; null = at the first byte.
   * @returns whether the bytes from there on are still available
   */
  rewind(position: number | null): boolean {
    const entry = position === null ? (this.#keepsAll ? 0 : -1) : this.#entryBefore(position);
    if (entry < 0 || this.#isClosed) return false;
    const again = this.#kept.slice(entry);
    this.#queued.prepend(again);
    for (const { bytes } of again) this.#queuedBytes += bytes.length;
    this.#discardKept();
    return true;
  }

  /** Discards the buffer and ends all reading. */
  close(): void {
    this.#discardKept();
    this.#isClosed = true;
    this.#hasEnded = true;
    this.#queued.clear();
    this.#queuedBytes = 0;
    this.#changed.emit("read");
    this.#changed.emit("more");
  }

  /** Arrival time of the next decoder's first media, epoch ms; null when no more follows. */
  async nextArrival(): Promise<number | null> {
    for (;;) {
      const isEnough = this.#hasEnded || this.#queuedBytes > MAX_HEAD_BYTES;
      const first = this.#queued.find(({ isEntry }) => isEntry) ?? (isEnough ? this.#queued.first : undefined);
      if (first !== undefined || this.#hasEnded) return first?.arrivedAtMs ?? null;
      await once(this.#changed, "more");
    }
  }

  /** Yields the bytes for a decoder. A new reader replaces the previous one, whose iteration ends. */
  async *read(): AsyncGenerator<Buffer> {
    const isFirst = this.#reader === 0;
    const reader = ++this.#reader;
    this.#changed.emit("more"); // ends the previous reader
    this.#discardKept();
    this.#position = 0;
    if (!isFirst) {
      while (await this.#next(reader, (unit) => unit.isEntry || unit.head !== null)) {
        if (this.#queued.first!.isEntry) break;
        this.#shift();
      }
      for (const [, bytes] of sorted(this.#head)) {
        this.#position += bytes.length;
        yield bytes;
      }
    }
    while (await this.#next(reader)) yield this.#nextBytes();
  }

  #nextBytes(): Buffer {
    const unit = this.#shift();
    const bytes = movedFragment(unit.bytes, this.#position - unit.sourceAt);
    this.#kept.push({ ...unit, at: this.#position });
    this.#position += unit.bytes.length;
    this.#keptBytes += unit.bytes.length;
    while (this.#keptBytes > MAX_KEPT_BYTES) this.#discardOldest();
    return bytes;
  }

  #entryBefore = (position: number): number => this.#kept.findLastIndex(({ at, isEntry }) => isEntry && at <= position);

  #discardOldest(): void {
    this.#keptBytes -= this.#kept.shift()!.bytes.length;
    this.#keepsAll = false;
  }

  #discardKept(): void {
    this.#kept = [];
    this.#keepsAll = true;
    this.#keptBytes = 0;
  }

  /** Waits for a unit that satisfies the condition, skipping others. False at the end, or when the reader was replaced. */
  async #next(reader: number, isWanted: (unit: Unit) => boolean = () => true): Promise<boolean> {
    for (;;) {
      if (reader !== this.#reader) return false;
      while (this.#queued.length > 0 && !isWanted(this.#queued.first!)) this.#shift();
      if (this.#queued.length > 0) return true;
      if (this.#hasEnded) return false;
      await once(this.#changed, "more");
    }
  }

  #take(units: Unit[]): void {
    for (const unit of units) {
      if (unit.head !== null) this.#newestHead.set(unit.head, unit.bytes);
      this.#queued.push({ ...unit, arrivedAtMs: Date.now(), sourceAt: this.#sourceBytes });
      this.#sourceBytes += unit.bytes.length;
      this.#queuedBytes += unit.bytes.length;
      for (const listener of this.#listeners) listener(unit);
    }
    if (units.length > 0) this.#changed.emit("more");
  }

  #shift(): QueuedUnit {
    const unit = this.#queued.shift()!;
    this.#queuedBytes -= unit.bytes.length;
    if (unit.head !== null) this.#head.set(unit.head, unit.bytes);
    this.#changed.emit("read");
    return unit;
  }
}

const sorted = (head: Map<string, Buffer>) => [...head].toSorted(([a], [b]) => (a < b ? -1 : 1));
