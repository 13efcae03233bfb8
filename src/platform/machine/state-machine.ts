import { log } from "../log.ts";

/** For each state, the next state per signal and the event announced with the move (null = none). */
export type Moves<Status extends string, Signal extends string> = Record<
  Status,
  Partial<Record<Signal, readonly [next: Status, event: string | null]>>
>;

/** Identifies a machine in logs. */
export type MachineLabel = () => { machine: string; id: string };

/** The storage key and format of itty-durable 2.4, which wrote it before 2026-11-22. */
const STATE_KEY = "data";

/** The state of a Durable Object and the table of its legal moves. */
export class StateMachine<Status extends string, Signal extends string> {
  readonly #storage: DurableObjectStorage;
  readonly #moves: Moves<Status, Signal>;
  readonly #label: MachineLabel;
  #status: Status;

  constructor(storage: DurableObjectStorage, initial: Status, moves: Moves<Status, Signal>, label: MachineLabel) {
    this.#storage = storage;
    this.#moves = moves;
    this.#label = label;
    this.#status = storage.kv.get<{ status?: Status }>(STATE_KEY)?.status ?? initial;
  }

  get status(): Status {
    return this.#status;
  }

  /**
   * Moves to the next state and runs `also` in the same transaction. When `also` throws, nothing is written and the state stays.
   *
   * @param also called with the event that the move announces and the next state
   * @returns false, with nothing written, when the current state does not accept the signal
   */
  move(signal: Signal, also: (event: string | null, next: Status) => void = () => {}): boolean {
    const from = this.#status;
    const move = this.#moves[from][signal];
    if (move === undefined) return false;
    const [next, event] = move;
    this.#storage.transactionSync(() => {
      this.#storage.kv.put(STATE_KEY, { status: next });
      also(event, next);
    });
    log("machine.moved", { ...this.#label(), from, signal, to: next });
    this.#status = next;
    return true;
  }
}
