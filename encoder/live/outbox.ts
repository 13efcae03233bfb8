/**
 * What a broadcast has made, on its way to one receiver: of each rendition in order, one thing at a time, the renditions side by side.
 * A receiver that is too slow does not cost memory without end: the oldest segment that waits is given up then, and told as a gap.
 */
import type { InitFacts, PartFacts } from "./output.ts";

export interface OutboxReceiver {
  /** A rejection is the receiver's last word: what was to be delivered is given up. */
  onInit(rendition: string, version: number, bytes: Buffer, facts: InitFacts): Promise<void>;
  onPart(facts: PartFacts, bytes: Buffer): Promise<void>;
  /** Parts of this segment are lost; none of it follows. */
  onGap(rendition: string, msn: number): Promise<void>;
  /** One of the above was rejected. */
  onRejected?(rendition: string, error: unknown): void;
}

type Item =
  | { type: "init"; version: number; bytes: Buffer; facts: InitFacts }
  | { type: "part"; facts: PartFacts; bytes: Buffer }
  | { type: "gap"; msn: number };

interface Line {
  items: Item[];
  /** What is being delivered; it has left `items`. */
  current: Item | null;
  /** Nothing more of this segment is wanted. */
  lostMsn: number;
}

export class Outbox {
  readonly #receiver: OutboxReceiver;
  readonly #maxBytes: number;
  readonly #lines = new Map<string, Line>();
  readonly #deliveries = new Set<Promise<void>>();
  #waitingBytes = 0;

  /** @param maxBytes of parts that wait, over all renditions */
  constructor(receiver: OutboxReceiver, maxBytes: number) {
    this.#receiver = receiver;
    this.#maxBytes = maxBytes;
  }

  /** Bytes of parts that wait; what is being delivered is not counted. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  putInit(rendition: string, version: number, bytes: Buffer, facts: InitFacts): void {
    this.#put(rendition, { type: "init", version, bytes, facts });
  }

  putPart(facts: PartFacts, bytes: Buffer): void {
    if (facts.msn <= this.#line(facts.rendition).lostMsn) return;
    this.#waitingBytes += bytes.length;
    this.#put(facts.rendition, { type: "part", facts, bytes });
    while (this.#waitingBytes > this.#maxBytes && this.#giveUpOldest());
  }

  /** Resolves when everything has been delivered or given up. */
  async settled(): Promise<void> {
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries);
  }

  #line(rendition: string): Line {
    const known = this.#lines.get(rendition) ?? { items: [], current: null, lostMsn: -1 };
    this.#lines.set(rendition, known);
    return known;
  }

  #put(rendition: string, item: Item): void {
    const line = this.#line(rendition);
    line.items.push(item);
    if (line.current !== null) return;
    const delivery = this.#deliver(rendition, line).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }

  async #deliver(rendition: string, line: Line): Promise<void> {
    for (let item = line.items.shift(); item !== undefined; item = line.items.shift()) {
      line.current = item;
      if (item.type === "part") this.#waitingBytes -= item.bytes.length;
      try {
        if (item.type === "init") await this.#receiver.onInit(rendition, item.version, item.bytes, item.facts);
        else if (item.type === "part") await this.#receiver.onPart(item.facts, item.bytes);
        else await this.#receiver.onGap(rendition, item.msn);
      } catch (error) {
        this.#receiver.onRejected?.(rendition, error);
        if (item.type === "part" && item.facts.msn > line.lostMsn) this.#giveUp(line, item.facts.msn);
      }
      line.current = null;
    }
  }

  /** @returns false when nothing waits that could be given up */
  #giveUpOldest(): boolean {
    let [oldest, of]: [number, Line | null] = [Infinity, null];
    for (const line of this.#lines.values()) {
      const first = line.items.find((item) => item.type === "part");
      if (first !== undefined && first.facts.msn < oldest) [oldest, of] = [first.facts.msn, line];
    }
    if (of === null) return false;
    this.#giveUp(of, oldest);
    return true;
  }

  #giveUp(line: Line, msn: number): void {
    line.lostMsn = msn;
    const isLost = (item: Item) => item.type === "part" && item.facts.msn === msn;
    for (const item of line.items) if (isLost(item) && item.type === "part") this.#waitingBytes -= item.bytes.length;
    const kept = line.items.filter((item) => !isLost(item));
    // Behind the inits and gaps of what came before it.
    const at = kept.findIndex((item) => item.type === "part" && item.facts.msn > msn);
    kept.splice(at < 0 ? kept.length : at, 0, { type: "gap", msn });
    line.items = kept;
  }
}
