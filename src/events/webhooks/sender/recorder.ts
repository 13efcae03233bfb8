import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import type { AttemptJournal } from "./attempt-journal.ts";
import type { DueDelivery } from "../fan-out/due-delivery.ts";
import type { SettledAttempt } from "./settled-attempt.ts";
import { recordSettled } from "./record-settled.ts";
import type { Target } from "../attempt/target.ts";

/** While more is being sent, outcomes are written once there are this many, or once the oldest is this old. */
const WRITE_AT_COUNT = 300;
const WRITE_AT_AGE_MS = 1000;
/** The outcomes of one write are one bound parameter, which D1 limits to 2 MB. */
const MAX_PARAMETER_BYTES = 1_500_000;
/** A character that JSON escapes, such as `\\u0001`. */
const MAX_BYTES_PER_CHARACTER = 6;
const BYTES_WITHOUT_TEXT = 600;

/** The first outcomes that fit into one write; at least one. */
export function fitting(settled: SettledAttempt[]): SettledAttempt[] {
  let bytes = 0;
  const tooMany = settled.findIndex(({ responseHead, detail }) => {
    bytes += BYTES_WITHOUT_TEXT + MAX_BYTES_PER_CHARACTER * (responseHead.length + (detail?.length ?? 0));
    return bytes > MAX_PARAMETER_BYTES;
  });
  return tooMany < 0 ? settled : settled.slice(0, Math.max(1, tooMany));
}

const MAX_REMEMBERED = 2000;

/** Writes outcomes to D1, one write at a time and many outcomes in each. The journal keeps their attempts until then. */
export class Recorder {
  readonly #env: Env;
  readonly #journal: AttemptJournal;
  #waiting: SettledAttempt[] = [];
  #writing: { settled: SettledAttempt[]; done: Promise<void> } | null = null;
  readonly #recentNumbers = new Map<string, number>(); // event → number of its last recorded attempt
  /** Why the last write failed; null when it did not. */
  error: Error | null = null;

  constructor(env: Env, journal: AttemptJournal) {
    this.#env = env;
    this.#journal = journal;
  }

  add(settled: SettledAttempt): void {
    this.#waiting.push(settled);
  }

  /** Resolves when the current write has ended, successfully or not. */
  get writing(): Promise<void> | null {
    return this.#writing?.done ?? null;
  }

  has(eventId: string): boolean {
    const isIt = (one: SettledAttempt) => one.eventId === eventId;
    return this.#waiting.some(isIt) || this.#writing?.settled.some(isIt) === true;
  }

  /** Whether this copy of a delivery was read before its last attempt was recorded. */
  isStale({ eventId, attempts }: DueDelivery): boolean {
    return (this.#recentNumbers.get(eventId) ?? 0) > attempts;
  }

  /** Hands the unrecorded outcomes to the caller, who records them. */
  takeUnrecorded(): SettledAttempt[] {
    const settled = this.#waiting;
    this.#waiting = [];
    this.error = null;
    return settled;
  }

  /** @param isBusy more is being sent, so outcomes may wait for a larger write */
  write(target: Target, isBusy: boolean, failingSinceMs: number | null): void {
    const oldest = this.#waiting[0];
    if (this.#writing !== null || oldest === undefined || this.error !== null) return;
    const isDue = this.#waiting.length >= WRITE_AT_COUNT || Date.now() - oldest.endedAtMs >= WRITE_AT_AGE_MS;
    if (isBusy && !isDue) return;
    const settled = fitting(this.#waiting);
    this.#waiting = this.#waiting.slice(settled.length);
    const done = this.#write(target, settled, failingSinceMs).finally(() => {
      this.#writing = null;
    });
    this.#writing = { settled, done };
  }

  async #write(target: Target, settled: SettledAttempt[], failingSinceMs: number | null): Promise<void> {
    try {
      const { publish } = await recordSettled(this.#env, target, settled, failingSinceMs);
      this.#journal.remove(settled.map(({ eventId }) => eventId));
      void publish();
      const delivered = settled.filter(({ next }) => next === "delivered").length;
      log("deliveries.recorded", { webhookId: target.webhookId, delivered, failed: settled.length - delivered });
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error));
      this.#waiting.unshift(...settled);
      return;
    }
    if (this.#recentNumbers.size > MAX_REMEMBERED) this.#recentNumbers.clear();
    for (const { eventId, number } of settled) this.#recentNumbers.set(eventId, number);
  }
}
