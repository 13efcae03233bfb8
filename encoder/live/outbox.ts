/**
 * Queues a broadcast's output for one receiver. Items of a rendition are sent in order, one at a time; renditions are sent in parallel.
 * Memory is bounded: when the receiver is too slow, the oldest queued segment is dropped and reported as a gap.
 */
import type { InitFacts, PartFacts } from "./output.ts";

export interface OutboxReceiver {
  /** A rejection is final: the item is dropped. */
  onInit(rendition: string, version: number, bytes: Buffer, facts: InitFacts): Promise<void>;
  onPart(facts: PartFacts, bytes: Buffer): Promise<void>;
  /** Parts of this segment are lost; no further part of it follows. */
  onGap(rendition: string, msn: number): Promise<void>;
  /** One of the above was rejected. */
  onRejected(rendition: string, error: unknown): void;
}

type Item =
  | { type: "init"; version: number; bytes: Buffer; facts: InitFacts }
  | { type: "part"; facts: PartFacts; bytes: Buffer }
  | { type: "gap"; msn: number };

interface RenditionQueue {
  items: Item[];
  /** The item being sent; no longer in `items`. */
  current: Item | null;
  /** Newest dropped segment; later parts of it are ignored. */
  lostMsn: number;
}

export class Outbox {
  readonly #receiver: OutboxReceiver;
  readonly #maxBytes: number;
  readonly #queues = new Map<string, RenditionQueue>();
  readonly #sends = new Set<Promise<void>>();
  #queuedBytes = 0;

  /** @param maxBytes limit of queued part bytes over all renditions */
  constructor(receiver: OutboxReceiver, maxBytes: number) {
    this.#receiver = receiver;
    this.#maxBytes = maxBytes;
  }

  /** Queued part bytes, without the items being sent. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  putInit(rendition: string, version: number, bytes: Buffer, facts: InitFacts): void {
    this.#put(rendition, { type: "init", version, bytes, facts });
  }

  putPart(facts: PartFacts, bytes: Buffer): void {
    if (facts.msn <= this.#queueOf(facts.rendition).lostMsn) return;
    this.#queuedBytes += bytes.length;
    this.#put(facts.rendition, { type: "part", facts, bytes });
    while (this.#queuedBytes > this.#maxBytes && this.#dropOldest());
  }

  /** Resolves when every item has been received or dropped. */
  async settled(): Promise<void> {
    while (this.#sends.size > 0) await Promise.all(this.#sends);
  }

  #queueOf(rendition: string): RenditionQueue {
    const known = this.#queues.get(rendition) ?? { items: [], current: null, lostMsn: -1 };
    this.#queues.set(rendition, known);
    return known;
  }

  #put(rendition: string, item: Item): void {
    const queue = this.#queueOf(rendition);
    queue.items.push(item);
    if (queue.current !== null) return;
    const sending = this.#send(rendition, queue).finally(() => this.#sends.delete(sending));
    this.#sends.add(sending);
  }

  async #send(rendition: string, queue: RenditionQueue): Promise<void> {
    for (let item = queue.items.shift(); item !== undefined; item = queue.items.shift()) {
      queue.current = item;
      if (item.type === "part") this.#queuedBytes -= item.bytes.length;
      try {
        if (item.type === "init") await this.#receiver.onInit(rendition, item.version, item.bytes, item.facts);
        else if (item.type === "part") await this.#receiver.onPart(item.facts, item.bytes);
        else await this.#receiver.onGap(rendition, item.msn);
      } catch (error) {
        this.#receiver.onRejected(rendition, error);
        if (item.type === "part" && item.facts.msn > queue.lostMsn) this.#drop(queue, item.facts.msn);
      }
      queue.current = null;
    }
  }

  /** @returns false when no part is queued */
  #dropOldest(): boolean {
    let [oldest, of]: [number, RenditionQueue | null] = [Infinity, null];
    for (const queue of this.#queues.values()) {
      const first = queue.items.find((item) => item.type === "part");
      if (first !== undefined && first.facts.msn < oldest) [oldest, of] = [first.facts.msn, queue];
    }
    if (of === null) return false;
    this.#drop(of, oldest);
    return true;
  }

  #drop(queue: RenditionQueue, msn: number): void {
    queue.lostMsn = msn;
    const isLost = (item: Item) => item.type === "part" && item.facts.msn === msn;
    for (const item of queue.items) if (isLost(item) && item.type === "part") this.#queuedBytes -= item.bytes.length;
    const kept = queue.items.filter((item) => !isLost(item));
    // Insert after the inits and gaps of earlier segments.
    const at = kept.findIndex((item) => item.type === "part" && item.facts.msn > msn);
    kept.splice(at < 0 ? kept.length : at, 0, { type: "gap", msn });
    queue.items = kept;
  }
}
