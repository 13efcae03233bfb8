import type { Env } from "../../platform/env.ts";
import { DocumentStore } from "../../platform/machine/document-store.ts";
import { Outbox, type Sequenced } from "../../platform/machine/outbox.ts";
import { StateMachine } from "../../platform/machine/state-machine.ts";
import { Timers } from "../../platform/machine/timers.ts";
import type { BatchOrder, BatchProblem, BatchState, DryRunTotals, SourceFacts } from "../batches/batch-calls.ts";
import type { Source } from "../sources/source.ts";
import { CursorLog } from "./cursor-log.ts";
import { ItemTable } from "./item-table.ts";
import { BATCH_MOVES, type BatchSignal } from "./moves.ts";
import type { BatchMessage } from "./batch-message.ts";

/** `work` scans, submits and follows items; `show` writes counts to D1, with an event once a minute; `outbox` writes changes of state. */
export type BatchTimer = "work" | "show" | "outbox";

interface BatchDocuments {
  order: BatchOrder;
  /** Identifies the account at the source for claims; unset until the credentials were checked. */
  account: string;
  /** The credentials that were checked; "" = the source is open without any. */
  checkedCredential: string;
  /** Those that were replaced last: they are deleted unless they are kept. */
  formerCredential: string;
  source: SourceFacts;
  /** Of a list that was fetched from its address. */
  listId: string;
  scan: ScanPlace;
  totals: DryRunTotals;
  sample: SampledVideo[];
  /** Rows of a list that were left out, as another row has their id. */
  repeats: SampledVideo[];
  problem: BatchProblem;
  /** Why the scan ended before the end of the list. */
  scanProblem: BatchProblem;
  /** The source is not asked before this time, epoch ms. */
  quietUntilMs: number;
  /** Failures of the source in a row, over all items. */
  failures: number;
  /** How often the batch has waited for the source since it last answered. */
  waits: number;
  /** Number of the last write to D1. */
  revision: number;
  startedAtMs: number;
  completedAtMs: number;
  cancelledAtMs: number;
  /** When progress was announced last, epoch ms. */
  announcedAtMs: number;
  /** Counts of the last `migration.batch.progress`, as JSON. */
  announcedCounts: string;
  /** Items that had ended at some times, for the throughput: the oldest first. */
  pulse: { atMs: number; ended: number }[];
  /** The completed event was enqueued. */
  isAnnounced: true;
  /** The end of a batch that was run again is not announced yet. */
  owesProgress: true;
}

/** How far the scan is. */
export interface ScanPlace {
  /** Of the next page; null = the first one. */
  cursor: string | null;
  /** Videos that were read. */
  read: number;
  /** Pages in a row that had nothing new. */
  stale: number;
  /** Pages in a row without any video. */
  empty: number;
  isComplete: boolean;
  /** Of the sample of a dry run: the next one. */
  sampled: number;
  /** Videos of the sample that were tried: others of its places are left out anyway. */
  tried: number;
}

export const SCAN_BEGIN: ScanPlace = {
  cursor: null,
  read: 0,
  stale: 0,
  empty: 0,
  isComplete: false,
  sampled: 0,
  tried: 0,
};

/** A video that the report names: one of the sample whose file cannot be fetched, or a row that was left out. */
export interface SampledVideo {
  sourceId: string;
  title: string | null;
  code: string;
  message: string;
}

/** Sends messages of the outbox. Idempotent. */
type Project = (batch: BatchComponents, messages: Sequenced<BatchMessage>[]) => Promise<void>;

/** What the runtime offers the object, and tests replace. */
export interface BatchRuntime {
  /** Runs work beside the object's own. */
  after: (work: Promise<unknown>) => void;
  /** The Worker itself, which plays what was migrated; undefined where the runtime does not offer it. */
  self: Fetcher | undefined;
  /** Opens the batch's source with its credentials. @throws {SourceFailure} */
  open: (batch: BatchComponents) => Promise<Source>;
}

/** The components of a batch's object. Its verbs are the other files of this folder. */
export class BatchComponents {
  readonly env: Env;
  readonly runtime: BatchRuntime;
  /** Epoch ms. */
  readonly clock: () => number;
  readonly documents: DocumentStore<BatchDocuments>;
  readonly state: StateMachine<BatchState, BatchSignal>;
  readonly timers: Timers<BatchTimer>;
  readonly outbox: Outbox<BatchMessage>;
  readonly items: ItemTable;
  readonly cursors: CursorLog;
  /** In memory: items that the last process was submitting when it ended were looked at. */
  isRecovered = false;
  /** What `show` has written last, in memory. */
  shown = "";
  /** Opened once for as long as the object is in memory, so that its pace holds. */
  source: Promise<Source> | null = null;
  readonly #storage: DurableObjectStorage;

  constructor(
    storage: DurableObjectStorage,
    env: Env,
    runtime: BatchRuntime,
    project: Project,
    clock: () => number = () => Date.now(),
  ) {
    const label = () => ({ machine: "import_batch", id: this.documents.get("order")?.batchId ?? "" });
    this.#storage = storage;
    this.env = env;
    this.runtime = runtime;
    this.clock = clock;
    this.documents = new DocumentStore(storage);
    this.state = new StateMachine<BatchState, BatchSignal>(storage, "scanning", BATCH_MOVES, label);
    this.timers = new Timers(storage, clock, label);
    this.outbox = new Outbox(storage.sql, (messages) => project(this, messages));
    this.items = new ItemTable(storage.sql, clock);
    this.cursors = new CursorLog(storage.sql);
  }

  /** @throws {Error} before the batch has begun */
  get order(): BatchOrder {
    const order = this.documents.get("order");
    if (order === undefined) throw new Error("the batch has not begun");
    return order;
  }

  get scan(): ScanPlace {
    return this.documents.get("scan") ?? SCAN_BEGIN;
  }

  /** Makes several writes one commit. */
  commit<T>(write: () => T): T {
    return this.#storage.transactionSync(write);
  }
}
