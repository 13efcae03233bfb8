import type { Env } from "../../../platform/env.ts";
import type { AttemptJournal, StartedAttempt } from "./attempt-journal.ts";
import type { DueDelivery } from "../fan-out/due-delivery.ts";
import { type DueCursor, findDue } from "./due.ts";

const FETCH_SIZE = 300;
/** The next fetch starts when fewer deliveries than this are left. */
const FETCH_BELOW = 50;
/** Attempts in one write to the journal. After a crash, up to this many count as interrupted although they had not started. */
const JOURNAL_GROUP_SIZE = 24;

/** A delivery whose attempt is in the journal, so the request may be sent. */
export interface ClaimedDelivery {
  due: DueDelivery;
  attempt: StartedAttempt;
}

/** The deliveries that a sender sends next: due ones, fetched from D1 in advance, and those passed along by the commit that announced them. */
export class DeliveryQueue {
  readonly #env: Env;
  readonly #journal: AttemptJournal;
  /** Whether the delivery is being attempted, its outcome is not recorded yet, or it was recorded after this copy was read. */
  readonly #isTaken: (due: DueDelivery) => boolean;
  #ready: DueDelivery[] = [];
  #claimed: ClaimedDelivery[] = [];
  #cursor: DueCursor | null = null; // end of the last fetch
  #mayHaveMore = true;
  #fetching: Promise<void> | null = null;

  constructor(env: Env, journal: AttemptJournal, isTaken: (due: DueDelivery) => boolean) {
    this.#env = env;
    this.#journal = journal;
    this.#isTaken = isTaken;
  }

  /** Call when other deliveries may be due. The next fetch starts again with the deliveries that have been due longest. */
  restart(): void {
    this.#cursor = null;
    this.#mayHaveMore = true;
  }

  /** Adds deliveries that are neither queued nor taken. */
  push(deliveries: DueDelivery[]): void {
    this.#ready.push(...deliveries.filter((due) => !this.#isKnown(due)));
  }

  get fetching(): Promise<void> | null {
    return this.#fetching;
  }

  get isEmpty(): boolean {
    return this.#ready.length === 0 && this.#claimed.length === 0;
  }

  /** @param isProbe only one delivery is needed, so only one is journaled */
  next(isProbe: boolean): ClaimedDelivery | undefined {
    if (this.#claimed.length === 0) this.#claim(isProbe ? 1 : JOURNAL_GROUP_SIZE);
    return this.#claimed.shift();
  }

  #claim(count: number): void {
    const group = this.#ready.splice(0, count);
    if (group.length === 0) return;
    const startedAtMs = Date.now();
    this.#claimed = group.map((due) => ({
      due,
      attempt: {
        eventId: due.eventId,
        number: due.attempts + 1,
        schedule: due.schedule,
        tries: due.tries + 1,
        startedAtMs,
      },
    }));
    this.#journal.add(this.#claimed.map(({ attempt }) => attempt));
  }

  /** Starts a fetch when few deliveries are left and D1 may have more. At most one fetch runs at a time. */
  refill(webhookId: string): void {
    if (this.#ready.length >= FETCH_BELOW || !this.#mayHaveMore) return;
    this.#fetching ??= this.#fetch(webhookId).finally(() => {
      this.#fetching = null;
    });
  }

  async #fetch(webhookId: string): Promise<void> {
    this.#mayHaveMore = false;
    const nowMs = Date.now();
    const found = await findDue(this.#env, webhookId, { after: this.#cursor, nowMs, limit: FETCH_SIZE });
    this.#cursor = found.at(-1) ?? this.#cursor;
    if (found.length === FETCH_SIZE) this.#mayHaveMore = true;
    this.push(found);
  }

  /** Discards the deliveries that have not been sent, for example because the endpoint has begun to fail. They stay due in D1. */
  release(): void {
    if (this.#claimed.length > 0) this.#journal.remove(this.#claimed.map(({ due }) => due.eventId));
    if (!this.isEmpty) this.restart();
    this.#claimed = [];
    this.#ready = [];
  }

  #isKnown(due: DueDelivery): boolean {
    const isSame = (other: DueDelivery) => other.eventId === due.eventId;
    return this.#isTaken(due) || this.#ready.some(isSame) || this.#claimed.some((claimed) => isSame(claimed.due));
  }
}
