import type { Env } from "../../../platform/env.ts";
import { type DueDelivery, type DuePlace, findDue } from "./due.ts";
import type { Begun, SenderLedger } from "./ledger.ts";

/** Deliveries fetched at once, and how few are left when the next are fetched. */
const FETCHED_AT_ONCE = 300;
const FETCH_BELOW = 50;
/** Attempts noted in the ledger by one write. After a crash as many may count as cut off that were only about to be made. */
const NOTED_AT_ONCE = 24;

/** An attempt that may be made: the ledger knows of it. */
export interface Noted {
  due: DueDelivery;
  begun: Begun;
}

/** What a sender is to send next: fetched from D1 before it is needed, or told by whoever has just announced it. */
export class Supply {
  readonly #env: Env;
  readonly #ledger: SenderLedger;
  /** Is somebody at it already, or through with it: not yet recorded, or recorded since this was read? */
  readonly #isTaken: (due: DueDelivery) => boolean;
  #ready: DueDelivery[] = [];
  #noted: Noted[] = [];
  #place: DuePlace | null = null; // fetched up to here
  #mayHaveMore = true;
  #fetching: Promise<void> | null = null;

  constructor(env: Env, ledger: SenderLedger, isTaken: (due: DueDelivery) => boolean) {
    this.#env = env;
    this.#ledger = ledger;
    this.#isTaken = isTaken;
  }

  /** Something may be due that is not known here: D1 is asked again, from what is due longest on. */
  restart(): void {
    this.#place = null;
    this.#mayHaveMore = true;
  }

  /** What has just been announced need not be fetched. */
  offer(deliveries: DueDelivery[]): void {
    this.#ready.push(...deliveries.filter((due) => !this.#isInHand(due)));
  }

  get fetching(): Promise<void> | null {
    return this.#fetching;
  }

  get isEmpty(): boolean {
    return this.#ready.length === 0 && this.#noted.length === 0;
  }

  /** @param isProbe only one is wanted, so only one is noted */
  next(isProbe: boolean): Noted | undefined {
    if (this.#noted.length === 0) this.#note(isProbe ? 1 : NOTED_AT_ONCE);
    return this.#noted.shift();
  }

  #note(count: number): void {
    const due = this.#ready.splice(0, count);
    if (due.length === 0) return;
    const startedAtMs = Date.now();
    this.#noted = due.map((one) => ({
      due: one,
      begun: { eventId: one.eventId, number: one.attempts + 1, tries: one.tries + 1, startedAtMs },
    }));
    this.#ledger.begin(this.#noted.map(({ begun }) => begun));
  }

  /** Fetches more where there may be more; at most one question is out. */
  refill(webhookId: string): void {
    if (this.#ready.length >= FETCH_BELOW || !this.#mayHaveMore) return;
    this.#fetching ??= this.#fetch(webhookId).finally(() => {
      this.#fetching = null;
    });
  }

  async #fetch(webhookId: string): Promise<void> {
    this.#mayHaveMore = false;
    const nowMs = Date.now();
    const found = await findDue(this.#env, webhookId, { after: this.#place, nowMs, limit: FETCHED_AT_ONCE });
    this.#place = found.at(-1) ?? this.#place;
    if (found.length === FETCHED_AT_ONCE) this.#mayHaveMore = true;
    this.offer(found);
  }

  /** An endpoint that has begun to fail leaves some behind: they are neither under way nor next. */
  giveBack(): void {
    if (this.#noted.length > 0) this.#ledger.forget(this.#noted.map(({ due }) => due.eventId));
    if (!this.isEmpty) this.restart();
    this.#noted = [];
    this.#ready = [];
  }

  #isInHand(due: DueDelivery): boolean {
    const isIt = (one: DueDelivery) => one.eventId === due.eventId;
    return this.#isTaken(due) || this.#ready.some(isIt) || this.#noted.some((noted) => isIt(noted.due));
  }
}
