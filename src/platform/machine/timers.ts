import { errorFields, logError } from "../log.ts";
import type { MachineLabel } from "./state-machine.ts";

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 60_000;

/** How long to wait after a failure; with 15 of them in a row, about ten minutes in all. @param failures since the last success, from 1 on */
export const failureDelayMs = (failures: number): number =>
  Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));

interface TimerRow extends Record<string, SqlStorageValue> {
  name: string;
  due: number;
  failures: number;
}

export interface TimerHandlers<Name extends string> {
  /** Runs when the timer is due and may schedule it again. When it throws, the timer is due again after a back-off. */
  run: (timer: Name) => Promise<void>;
  /** Called after each failure; `failures` counts those since the last success. */
  onFailure?: (timer: Name, failures: number) => void;
}

/** Named timers that share a Durable Object's single alarm and survive a crash. */
export class Timers<Name extends string> {
  readonly #storage: DurableObjectStorage;
  readonly #clock: () => number;
  readonly #label: MachineLabel;

  /** @param clock epoch milliseconds */
  constructor(storage: DurableObjectStorage, clock: () => number, label: MachineLabel) {
    this.#storage = storage;
    this.#clock = clock;
    this.#label = label;
    storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS timers (name TEXT PRIMARY KEY, due INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID",
    );
  }

  /** Sets or replaces a timer's due time. `atMs` is epoch milliseconds. */
  schedule(timer: Name, atMs: number): void {
    const nextMs = this.#next();
    this.#storage.sql.exec(
      "INSERT INTO timers (name, due) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET due = excluded.due, failures = 0",
      timer,
      Math.ceil(atMs),
    );
    // To set the alarm is billed as a row. It never comes after the next timer; when it comes before, `runDue` sets it again. Timers that
    // are already due have lost their alarm, or run now.
    if (nextMs === null || atMs < nextMs || nextMs <= this.#clock()) this.#setAlarm();
  }

  /** Sets a timer unless it is due earlier. */
  bringForward(timer: Name, atMs: number): void {
    const due = this.dueOf(timer);
    if (due === null || due > atMs) this.schedule(timer, atMs);
  }

  cancel(...timers: Name[]): void {
    for (const timer of timers) this.#storage.sql.exec("DELETE FROM timers WHERE name = ?", timer);
  }

  isScheduled(timer: Name): boolean {
    return this.dueOf(timer) !== null;
  }

  /** When each scheduled timer is due, epoch ms. */
  dues(): { readonly [T in Name]?: number } {
    const rows = this.#storage.sql.exec<{ name: string; due: number }>("SELECT name, due FROM timers");
    return Object.fromEntries(rows.toArray().map(({ name, due }) => [name, due])) as { [T in Name]?: number };
  }

  /** Epoch ms; null = it is not scheduled. */
  dueOf(timer: Name): number | null {
    const [row] = this.#storage.sql.exec<{ due: number }>("SELECT due FROM timers WHERE name = ?", timer);
    return row?.due ?? null;
  }

  /** For the object's `alarm()`. Never rejects because of a handler. */
  async runDue(handlers: TimerHandlers<Name>): Promise<void> {
    const due = this.#storage.sql
      .exec<TimerRow>("SELECT * FROM timers WHERE due <= ? ORDER BY due", this.#clock())
      .toArray();
    for (const timer of due) await this.#run(timer, handlers);
    this.#setAlarm();
  }

  async #run({ name, due, failures }: TimerRow, handlers: TimerHandlers<Name>): Promise<void> {
    const { sql } = this.#storage;
    try {
      await handlers.run(name as Name);
      // A handler that scheduled the timer again changed its time, so the row stays.
      sql.exec("DELETE FROM timers WHERE name = ? AND due = ?", name, due);
    } catch (error) {
      const retryAt = this.#clock() + failureDelayMs(failures + 1);
      sql.exec("UPDATE timers SET due = ?, failures = failures + 1 WHERE name = ? AND due = ?", retryAt, name, due);
      logError("machine.timer_failed", {
        ...this.#label(),
        timer: name,
        failures: failures + 1,
        ...errorFields(error),
      });
      handlers.onFailure?.(name as Name, failures + 1);
    }
  }

  #setAlarm(): void {
    const next = this.#next();
    if (next !== null) void this.#storage.setAlarm(next);
  }

  /** When the first timer is due, epoch ms; null = none is scheduled. */
  #next(): number | null {
    return this.#storage.sql.exec<{ due: number | null }>("SELECT min(due) AS due FROM timers").one().due;
  }
}
