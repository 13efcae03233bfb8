/**
 * Limits concurrent admission decisions, in total and per network. Other callers wait in order of arrival. libsrt repeats its conclusion
 * for 3 s by default, so many encoders that connect at once behind one address are served within that time.
 */
import { networkOf } from "../../../protocol/network-of.ts";

export interface SlotLimits {
  running: number;
  /** Per network: an IPv4 address, an IPv6 /64. */
  runningOfNetwork: number;
  waiting: number;
  waitingOfNetwork: number;
  waitMs: number;
}
/** A decision makes two requests to the Worker. At 0.2 s per decision, the slots of one network handle 80 callers per second. */
export const SLOT_LIMITS: SlotLimits = {
  running: 64,
  runningOfNetwork: 16,
  waiting: 512,
  waitingOfNetwork: 64,
  waitMs: 2000,
};

interface Waiting {
  network: string;
  /** Ends the wait. */
  end(hasSlot: boolean): void;
}

export class DecisionSlots {
  readonly #limits: SlotLimits;
  readonly #running: string[] = [];
  readonly #waiting: Waiting[] = [];

  constructor(limits: SlotLimits = SLOT_LIMITS) {
    this.#limits = limits;
  }

  /** @returns true when the caller has a slot, which must be released; false after `waitMs`, or when the queue is full */
  async acquire(address: string): Promise<boolean> {
    const network = networkOf(address);
    if (this.#hasRoom(network)) return this.#running.push(network) > 0;
    const ofNetwork = this.#waiting.filter((waiting) => waiting.network === network).length;
    if (this.#waiting.length >= this.#limits.waiting || ofNetwork >= this.#limits.waitingOfNetwork) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { network, end: resolve };
    this.#waiting.push(waiting);
    const deadline = setTimeout(() => this.#end(waiting, false), this.#limits.waitMs);
    return await promise.finally(() => clearTimeout(deadline));
  }

  release(address: string): void {
    this.#running.splice(this.#running.indexOf(networkOf(address)), 1);
    const next = this.#waiting.find(({ network }) => this.#hasRoom(network));
    if (next === undefined) return;
    this.#running.push(next.network);
    this.#end(next, true);
  }

  /** Ends all waits without a slot. */
  close(): void {
    while (this.#waiting.length > 0) this.#end(this.#waiting[0]!, false);
  }

  #hasRoom(network: string): boolean {
    const ofNetwork = this.#running.filter((running) => running === network).length;
    return this.#running.length < this.#limits.running && ofNetwork < this.#limits.runningOfNetwork;
  }

  #end(waiting: Waiting, hasSlot: boolean): void {
    const at = this.#waiting.indexOf(waiting);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    waiting.end(hasSlot);
  }
}
