import { createDurable } from "itty-durable";
import type { Env } from "../src/platform/env.ts";
import { log } from "../src/platform/log.ts";
import type { Moves, OutboxMessage } from "../src/platform/machines.ts";

/** What itty-durable's class has; its own types are `any`, so no other file sees the class. */
interface IttyDurable {
  state: DurableObjectState;
  loadFromStorage(): Promise<void>;
  fetch(request: Request): Promise<Response>;
}
const Base = createDurable() as unknown as new (ctx: DurableObjectState, env: object) => IttyDurable;

/** A message may have 2 MB, and a machine shares 128 MB with others of its kind. */
const DELIVERY_MESSAGES = 50;
const DELIVERY_LENGTH = 2_000_000;

interface OutboxRow extends Record<string, SqlStorageValue> {
  seq: number;
  kind: string;
  payload: string;
}

interface TimerRow extends Record<string, SqlStorageValue> {
  name: string;
  due: number;
  failures: number;
}

/**
 * One writer of one state. A move, what belongs to it and the event it announces are one commit; the outbox carries them
 * to D1 and the queues until it succeeds. Timers are named, share the object's single alarm and survive a crash.
 */
export abstract class Machine<Status extends string, Signal extends string, Timer extends string> extends Base {
  declare status: Status;
  protected readonly bindings: () => Env;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, {}); // itty-durable probes every binding it is given; ours are kept out of its reach.
    this.bindings = () => env;
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, payload TEXT NOT NULL)",
    );
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS timers (name TEXT PRIMARY KEY, due INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0)",
    );
  }

  /** Names the machine in logs. */
  protected abstract kind(): string;
  protected abstract moves(): Moves<Status, Signal>;
  protected abstract initial(): Status;
  /** Brings messages to where they belong, in order; may see one twice. Throws to be called again later. */
  protected abstract deliver(messages: OutboxMessage[]): Promise<void>;
  /** Called when a timer is due; may set it again. Throws to be called again with back-off. */
  protected abstract run(timer: Timer): Promise<void>;
  /** Called each time a timer's handler has thrown; `failures` counts them since it last went well. */
  protected failing(_timer: Timer, _failures: number): void {}
  /** What arrives by `callMachine`. */
  protected abstract receive(name: string, document: unknown): Promise<unknown>;

  /** itty-durable calls this once stored fields are back. */
  onLoad(): void {
    this.status ??= this.initial();
  }

  /** itty-durable would persist every own field; only the state is stored under its key. */
  getPersistable(): { status: Status } {
    return { status: this.status };
  }

  protected get sql(): SqlStorage {
    return this.state.storage.sql;
  }

  protected document<T>(key: string): T | undefined {
    return this.state.storage.kv.get<T>(key);
  }

  protected setDocument(key: string, value: unknown): void {
    this.state.storage.kv.put(key, value);
  }

  /** Makes the move with `also` in the same commit. False, and nothing is written, when the state does not know the signal. */
  protected move(signal: Signal, also?: (event: string | null) => void): boolean {
    const move = this.moves()[this.status][signal];
    if (move === undefined) return false;
    const [next, event] = move;
    this.state.storage.transactionSync(() => {
      this.state.storage.kv.put("data", { status: next });
      also?.(event);
    });
    log("machine.moved", { machine: this.kind(), id: this.name(), from: this.status, signal, to: next });
    this.status = next;
    return true;
  }

  /** Several writes as one commit. */
  protected commit(write: () => void): void {
    this.state.storage.transactionSync(write);
  }

  protected enqueue(kind: string, payload: unknown): void {
    this.sql.exec("INSERT INTO outbox (kind, payload) VALUES (?, ?)", kind, JSON.stringify(payload));
  }

  /** Sends what the outbox holds. A message goes away only after `deliver` came back, so a crash repeats it. */
  protected async drain(): Promise<void> {
    const rows = this.nextOfOutbox();
    const last = rows.at(-1);
    if (last === undefined) return;
    await this.deliver(rows.map(({ seq, kind, payload }) => ({ seq, kind, payload: JSON.parse(payload) as unknown })));
    this.sql.exec("DELETE FROM outbox WHERE seq <= ?", last.seq);
    await this.drain();
  }

  /** The oldest messages, as many as one delivery takes: at most `DELIVERY_MESSAGES`, and no more once `DELIVERY_LENGTH` is reached. */
  private nextOfOutbox(): OutboxRow[] {
    const rows: OutboxRow[] = [];
    let length = 0;
    for (const row of this.sql.exec<OutboxRow>(
      "SELECT seq, kind, payload FROM outbox ORDER BY seq LIMIT ?",
      DELIVERY_MESSAGES,
    )) {
      rows.push(row);
      length += row.payload.length;
      if (length >= DELIVERY_LENGTH) break;
    }
    return rows;
  }

  /** Sets a timer; an earlier time of the same name is replaced. `atMs` is epoch milliseconds. */
  protected schedule(timer: Timer, atMs: number): void {
    this.sql.exec(
      "INSERT INTO timers (name, due) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET due = excluded.due, failures = 0",
      timer,
      Math.ceil(atMs),
    );
    this.armAlarm();
  }

  /** Brings a timer forward to `atMs` and never puts it back. */
  protected hasten(timer: Timer, atMs: number): void {
    const row = this.sql.exec<TimerRow>("SELECT * FROM timers WHERE name = ?", timer).toArray()[0];
    if (row === undefined || row.due > atMs) this.schedule(timer, atMs);
  }

  protected unschedule(timer: Timer): void {
    this.sql.exec("DELETE FROM timers WHERE name = ?", timer);
  }

  private armAlarm(): void {
    const next = this.sql.exec<{ due: number | null }>("SELECT min(due) AS due FROM timers").one().due;
    if (next !== null) void this.state.storage.setAlarm(next);
  }

  async alarm(): Promise<void> {
    await this.loadFromStorage();
    const due = this.sql.exec<TimerRow>("SELECT * FROM timers WHERE due <= ? ORDER BY due", Date.now()).toArray();
    for (const timer of due) await this.runTimer(timer);
    this.armAlarm();
  }

  private async runTimer({ name, due, failures }: TimerRow): Promise<void> {
    try {
      await this.run(name as Timer);
      // The handler may have set the timer again: then the row has another time and stays.
      this.sql.exec("DELETE FROM timers WHERE name = ? AND due = ?", name, due);
    } catch (error) {
      const again = Date.now() + Math.min(60_000, 500 * 2 ** failures);
      this.sql.exec("UPDATE timers SET due = ?, failures = failures + 1 WHERE name = ? AND due = ?", again, name, due);
      log("machine.timer_failed", {
        machine: this.kind(),
        id: this.name(),
        timer: name,
        failures: failures + 1,
        error: String(error),
      });
      this.failing(name as Timer, failures + 1);
    }
  }

  protected name(): string {
    return this.document<string>("name") ?? this.state.id.toString();
  }

  /** Small calls come through itty-durable; documents as a POST, because its arguments travel in a header. */
  override async fetch(request: Request): Promise<Response> {
    if (request.method !== "POST") return await super.fetch(request);
    await this.loadFromStorage();
    const name = new URL(request.url).pathname.slice(1);
    return Response.json((await this.receive(name, await request.json())) ?? null);
  }
}
