/**
 * A broadcast's bytes between the broadcaster and the process that decodes them. The process may die and another one take over: it gets
 * the container's head again and goes on at the next place where that is possible.
 */
import { once, EventEmitter } from "node:events";
import { Fifo } from "../fifo.ts";
import { ContainerUnits, type Unit } from "./container-units.ts";
import { movedFragment } from "./fragment-offsets.ts";

/** What waits for the decoder; beyond that the broadcaster is slowed down. */
const MAX_WAITING_BYTES = 4 << 20;
/** What has been read and may be needed again by another decoder; beyond that the oldest is forgotten. */
const MAX_KEPT_BYTES = 16 << 20;
/** So much without media is no head of a container any more. */
const MAX_HEAD_BYTES = 1 << 20;

/** `sourceAt`: its first byte in the source. */
type WaitingUnit = Unit & { arrivedAtMs: number; sourceAt: number };
/** `at`: its first byte, counted from the first one that its reader was given. */
type KeptUnit = WaitingUnit & { at: number };

export class SourceLine {
  readonly #units = new ContainerUnits();
  /** Of what has been read, and of all that has come. */
  readonly #head = new Map<string, Buffer>();
  readonly #newestHead = new Map<string, Buffer>();
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #listeners = new Set<(unit: Unit) => void>();
  readonly #waiting = new Fifo<WaitingUnit>();
  #waitingBytes = 0;
  #sourceBytes = 0;
  #kept: KeptUnit[] = [];
  #keptBytes = 0;
  /** Nothing that the present reader has been given is forgotten. */
  #keepsAll = true;
  /** Bytes that the present reader has been given. */
  #position = 0;
  #reader = 0;
  #hasEnded = false;
  #isClosed = false;
  #lastByteAtMs: number | null = null;

  /** When the newest bytes came, of the steady clock; null before the first. */
  get lastByteAtMs(): number | null {
    return this.#lastByteAtMs;
  }

  /** The broadcaster has ended, and everything that came has been read. */
  get isSpent(): boolean {
    return this.#hasEnded && this.#waiting.length === 0;
  }

  /** Hears every unit as it comes; must neither throw nor wait. @returns how to stop it */
  listen(listener: (unit: Unit) => void): () => void {
    for (const [name, bytes] of sorted(this.#newestHead)) listener({ bytes, head: name, isEntry: false });
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes the broadcast in until it ends, breaks off or is closed; never rejects. */
  async fill(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of bytes) {
        if (this.#isClosed) break;
        this.#lastByteAtMs = performance.now();
        this.#take(this.#units.push(chunk));
        while (this.#waitingBytes > MAX_WAITING_BYTES && !this.#isClosed) await once(this.#changed, "read");
      }
    } catch {
      // A broadcaster that breaks off has ended: what came is kept.
    }
    this.#take(this.#units.rest());
    this.#hasEnded = true;
    this.#changed.emit("more");
  }

  /** What lies before this byte of the present reader is not needed again; null = all is. */
  release(position: number | null): void {
    const entry = position === null ? 0 : this.#entryBefore(position);
    for (let count = entry; count > 0; count -= 1) this.#forgetOldest();
  }

  /**
   * The next reader begins at the last place before this byte of the present one where that is possible; null = at the first byte.
   * @returns whether what lies behind it is still there
   */
  rewind(position: number | null): boolean {
    const entry = position === null ? (this.#keepsAll ? 0 : -1) : this.#entryBefore(position);
    if (entry < 0 || this.#isClosed) return false;
    const again = this.#kept.slice(entry);
    this.#waiting.prepend(again);
    for (const { bytes } of again) this.#waitingBytes += bytes.length;
    this.#forgetKept();
    return true;
  }

  /** Nothing more is taken or given. */
  close(): void {
    this.#forgetKept();
    this.#isClosed = true;
    this.#hasEnded = true;
    this.#waiting.clear();
    this.#waitingBytes = 0;
    this.#changed.emit("read");
    this.#changed.emit("more");
  }

  /** When the first media that the next decoder gets has arrived, epoch ms; null when nothing comes any more. */
  async nextArrival(): Promise<number | null> {
    for (;;) {
      const isEnough = this.#hasEnded || this.#waitingBytes > MAX_HEAD_BYTES;
      const first = this.#waiting.find(({ isEntry }) => isEntry) ?? (isEnough ? this.#waiting.first : undefined);
      if (first !== undefined || this.#hasEnded) return first?.arrivedAtMs ?? null;
      await once(this.#changed, "more");
    }
  }

  /** What a decoder reads. A second one takes over from the first, which gets nothing any more. */
  async *read(): AsyncGenerator<Buffer> {
    const isFirst = this.#reader === 0;
    const reader = ++this.#reader;
    this.#changed.emit("more"); // the one before it stops
    this.#forgetKept();
    this.#position = 0;
    if (!isFirst) {
      while (await this.#next(reader, (unit) => unit.isEntry || unit.head !== null)) {
        if (this.#waiting.first!.isEntry) break;
        this.#shift();
      }
      for (const [, bytes] of sorted(this.#head)) {
        this.#position += bytes.length;
        yield bytes;
      }
    }
    while (await this.#next(reader)) yield this.#give();
  }

  #give(): Buffer {
    const unit = this.#shift();
    const bytes = movedFragment(unit.bytes, this.#position - unit.sourceAt);
    this.#kept.push({ ...unit, at: this.#position });
    this.#position += unit.bytes.length;
    this.#keptBytes += unit.bytes.length;
    while (this.#keptBytes > MAX_KEPT_BYTES) this.#forgetOldest();
    return bytes;
  }

  #entryBefore = (position: number): number => this.#kept.findLastIndex(({ at, isEntry }) => isEntry && at <= position);

  #forgetOldest(): void {
    this.#keptBytes -= this.#kept.shift()!.bytes.length;
    this.#keepsAll = false;
  }

  #forgetKept(): void {
    this.#kept = [];
    this.#keepsAll = true;
    this.#keptBytes = 0;
  }

  /** True when there is a unit for this reader; with a condition, what does not meet it is passed over. */
  async #next(reader: number, isWanted: (unit: Unit) => boolean = () => true): Promise<boolean> {
    for (;;) {
      if (reader !== this.#reader) return false;
      while (this.#waiting.length > 0 && !isWanted(this.#waiting.first!)) this.#shift();
      if (this.#waiting.length > 0) return true;
      if (this.#hasEnded) return false;
      await once(this.#changed, "more");
    }
  }

  #take(units: Unit[]): void {
    for (const unit of units) {
      if (unit.head !== null) this.#newestHead.set(unit.head, unit.bytes);
      this.#waiting.push({ ...unit, arrivedAtMs: Date.now(), sourceAt: this.#sourceBytes });
      this.#sourceBytes += unit.bytes.length;
      this.#waitingBytes += unit.bytes.length;
      for (const listener of this.#listeners) listener(unit);
    }
    if (units.length > 0) this.#changed.emit("more");
  }

  #shift(): WaitingUnit {
    const unit = this.#waiting.shift()!;
    this.#waitingBytes -= unit.bytes.length;
    if (unit.head !== null) this.#head.set(unit.head, unit.bytes);
    this.#changed.emit("read");
    return unit;
  }
}

const sorted = (head: Map<string, Buffer>) => [...head].toSorted(([a], [b]) => (a < b ? -1 : 1));
