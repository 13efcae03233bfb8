import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import type { DueDelivery } from "./due.ts";
import type { SenderLedger } from "./ledger.ts";
import type { Settled } from "./outcome.ts";
import { recordSettled } from "./record.ts";
import type { Target } from "./target.ts";

/** While more is to be sent, outcomes are recorded when there are so many or the first one is so old. */
const RECORDED_AT_ONCE = 300;
const RECORD_AFTER_MS = 1000;
/** D1 takes 2 MB in one parameter, and the outcomes of one write are one. */
const MAX_PARAMETER_BYTES = 1_500_000;
/** Text in JSON: a character may become `\\u0001`. */
const MAX_BYTES_OF_CHARACTER = 6;
const BYTES_BESIDE_TEXT = 600;

/** The first outcomes that fit into one write; at least one. */
export function fitting(settled: Settled[]): Settled[] {
  let bytes = 0;
  const tooMany = settled.findIndex(({ responseHead, detail }) => {
    bytes += BYTES_BESIDE_TEXT + MAX_BYTES_OF_CHARACTER * (responseHead.length + (detail?.length ?? 0));
    return bytes > MAX_PARAMETER_BYTES;
  });
  return tooMany < 0 ? settled : settled.slice(0, Math.max(1, tooMany));
}

/** Outcomes remembered after they were recorded. */
const REMEMBERED_AT_MOST = 2000;

/** Brings outcomes to D1: one write at a time, of many when there are many. The ledger keeps them until then. */
export class Recorder {
  readonly #env: Env;
  readonly #ledger: SenderLedger;
  #waiting: Settled[] = [];
  #underWay: { settled: Settled[]; done: Promise<void> } | null = null;
  readonly #lately = new Map<string, number>(); // event → number of the attempt
  /** D1 did not take the last ones. */
  trouble: Error | null = null;

  constructor(env: Env, ledger: SenderLedger) {
    this.#env = env;
    this.#ledger = ledger;
  }

  add(settled: Settled): void {
    this.#waiting.push(settled);
  }

  /** Resolves when the write that is under way is through, well or not. */
  get writing(): Promise<void> | null {
    return this.#underWay?.done ?? null;
  }

  holds(eventId: string): boolean {
    const isIt = (one: Settled) => one.eventId === eventId;
    return this.#waiting.some(isIt) || this.#underWay?.settled.some(isIt) === true;
  }

  /** What was read of a delivery before its last attempt was recorded, or is told of it late, is out of date. */
  isOutdated({ eventId, attempts }: DueDelivery): boolean {
    return (this.#lately.get(eventId) ?? 0) > attempts;
  }

  /** What could not be recorded; it is the caller's from here on. */
  takeBack(): Settled[] {
    const settled = this.#waiting;
    this.#waiting = [];
    this.trouble = null;
    return settled;
  }

  /** @param isBusy more is to be sent: outcomes may wait for others */
  write(target: Target, isBusy: boolean, failingSinceMs: number | null): void {
    const oldest = this.#waiting[0];
    if (this.#underWay !== null || oldest === undefined || this.trouble !== null) return;
    const isEnough = this.#waiting.length >= RECORDED_AT_ONCE || Date.now() - oldest.endedAtMs >= RECORD_AFTER_MS;
    if (isBusy && !isEnough) return;
    const settled = fitting(this.#waiting);
    this.#waiting = this.#waiting.slice(settled.length);
    const done = this.#write(target, settled, failingSinceMs).finally(() => {
      this.#underWay = null;
    });
    this.#underWay = { settled, done };
  }

  async #write(target: Target, settled: Settled[], failingSinceMs: number | null): Promise<void> {
    try {
      const { publish } = await recordSettled(this.#env, target, settled, failingSinceMs);
      this.#ledger.forget(settled.map(({ eventId }) => eventId));
      void publish();
      const delivered = settled.filter(({ next }) => next === "delivered").length;
      log("deliveries.recorded", { webhookId: target.webhookId, delivered, failed: settled.length - delivered });
    } catch (error) {
      this.trouble = error instanceof Error ? error : new Error(String(error));
      this.#waiting.unshift(...settled);
      return;
    }
    if (this.#lately.size > REMEMBERED_AT_MOST) this.#lately.clear();
    for (const { eventId, number } of settled) this.#lately.set(eventId, number);
  }
}
