import type { Env } from "../../platform/env.ts";
import { Timers } from "../../platform/machine/timers.ts";
import { EventPlaces } from "./event-places.ts";
import { ForgottenViewers } from "./forgotten-viewers.ts";
import { HandOverTable } from "./hand-over-table.ts";
import { RefusalCounts } from "./refusal-counts.ts";
import { SWEEP_EVERY_MS } from "./retention.ts";
import { TakeBackTable } from "./take-back-table.ts";
import { ViewTable } from "./view-table.ts";

/**
 * `sweep` deletes expired views, `forget` those of forgotten viewers, `hand-over` sends final views to the distributed table, and `take-back`
 * reads them from there.
 */
export type StoreTimer = "sweep" | "forget" | "hand-over" | "take-back";

/** The components of a view store. */
export class StoreComponents {
  readonly env: Env;
  readonly views: ViewTable;
  readonly forgotten: ForgottenViewers;
  readonly refusals: RefusalCounts;
  readonly eventPlaces: EventPlaces;
  readonly handOver: HandOverTable;
  readonly takeBack: TakeBackTable;
  readonly timers: Timers<StoreTimer>;
  readonly #storage: DurableObjectStorage;

  constructor({ storage, id }: DurableObjectState, env: Env) {
    this.#storage = storage;
    this.env = env;
    this.views = new ViewTable(storage);
    this.forgotten = new ForgottenViewers(storage.sql);
    this.refusals = new RefusalCounts(storage.sql);
    this.eventPlaces = new EventPlaces(storage.sql);
    this.handOver = new HandOverTable(storage, this.forgotten);
    this.takeBack = new TakeBackTable(storage.sql);
    this.timers = new Timers(storage, Date.now, () => ({ machine: "view_store", id: id.name ?? id.toString() }));
    if (!this.timers.isScheduled("sweep")) this.timers.schedule("sweep", Date.now() + SWEEP_EVERY_MS);
  }

  /** The size of the store's SQLite. */
  get bytes(): number {
    return this.#storage.sql.databaseSize;
  }

  /** Runs several writes as one commit. */
  commit<T>(write: () => T): T {
    return this.#storage.transactionSync(write);
  }
}
