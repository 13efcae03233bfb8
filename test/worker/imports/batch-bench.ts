/** A batch on the storage of a real object, with a source in memory and a clock that tests move. Routes of the API reach it as well. */
import { env, runInDurableObject } from "cloudflare:test";
import { sql } from "drizzle-orm";
import type { ImportBatch } from "../../../durable-objects/import-batch.ts";
import { begin, command } from "../../../src/imports/batch-machine/commands.ts";
import { BatchComponents } from "../../../src/imports/batch-machine/components.ts";
import { projectBatch } from "../../../src/imports/batch-machine/project.ts";
import { batchTimers } from "../../../src/imports/batch-machine/timers.ts";
import { itemsOf, viewOf } from "../../../src/imports/batch-machine/view.ts";
import type { BatchCommand, BatchOrder, BatchView, ItemView } from "../../../src/imports/batches/batch-calls.ts";
import { orderOf } from "../../../src/imports/batches/order-of.ts";
import { type BatchRow, findBatch, insertBatch } from "../../../src/imports/batches/repository.ts";
import type { SourceKind } from "../../../src/imports/sources/source.ts";
import { assets } from "../../../src/library/assets/tables.ts";
import { commit, openDatabase } from "../../../src/platform/database.ts";
import type { Env } from "../../../src/platform/env.ts";
import { asInvocation, outsideInvocation } from "../limits/cloudflare-limits.ts";
import type { TestWorkspace } from "../workspace.ts";
import type { FakeSource } from "./fake-source.ts";

const SETTINGS = {
  accessPolicy: "asSource",
  maxResolution: "1080p",
  mediaQuality: "standard",
  mp4Support: "none",
  captions: true,
  metadata: null,
} as const;

interface BenchOptions {
  workspace: TestWorkspace;
  source: FakeSource;
  kind?: SourceKind;
  dryRun?: boolean;
  selection?: Record<string, unknown>;
  settings?: Partial<BatchOrder["settings"]>;
  credentialId?: string;
  env?: Partial<Env>;
  self?: Fetcher;
}

/** Longer than any batch of a test lasts. */
const FOREVER_MS = 24 * 3600_000;
const MAX_TURNS = 5_000; // one a minute, for two days, and the other timers

export class BatchBench {
  /** Of the batch. */
  nowMs = Date.now();
  id: string = crypto.randomUUID();
  readonly source: FakeSource;
  /** Whose credentials the source was opened with, in order. */
  readonly opened: (string | null)[] = [];
  /** Throws where the source is opened. */
  beforeOpen: (order: BatchOrder) => void = () => undefined;
  /** Replaces what writes to D1. */
  project = projectBatch;
  /** Whether the process ends before it writes this. From then on until `restart`, it writes nothing. */
  dies: (statement: string, values: readonly unknown[]) => boolean = () => false;
  isDead = false;
  /** What the alarm was set to last, epoch ms. */
  alarmMs: number | null = null;
  readonly #options: BenchOptions;
  #after: Promise<unknown>[] = [];
  #batch: BatchComponents | null = null;

  constructor(options: BenchOptions) {
    this.#options = options;
    this.source = options.source;
  }

  /** The row in D1, as the API inserts it. */
  async insert(): Promise<BatchRow> {
    const {
      workspace,
      kind = "mux",
      dryRun = false,
      selection = {},
      settings = {},
      credentialId = null,
    } = this.#options;
    const at = new Date(this.nowMs);
    const row: BatchRow = {
      id: this.id,
      workspaceId: workspace.id,
      source: kind,
      request: {
        options: {},
        selection,
        settings: { ...SETTINGS, ...settings },
        dryRun,
        publicUrl: "http://sluice.test",
      },
      state: "scanning",
      counts: { total: 0, pending: 0, submitted: 0, ready: 0, failed: 0, skipped: 0 },
      problem: null,
      credentialId,
      statusWebhookId: null,
      startedAt: null,
      createdAt: at,
      updatedAt: at,
      completedAt: null,
      revision: 0,
    };
    await commit(env.DB, [insertBatch(openDatabase(env.DB), row)]);
    return row;
  }

  /** Drives a batch of the API instead, which the real object has perhaps begun. */
  async takeOver(id: string): Promise<this> {
    this.id = id;
    await this.inside(({ timers, clock }) => timers.schedule("work", clock()));
    return this;
  }

  async row(): Promise<BatchRow> {
    return (await findBatch(openDatabase(env.DB), this.#options.workspace.id, this.id))!;
  }

  async begin(): Promise<void> {
    const row = await this.insert();
    await this.inside((batch) => begin(batch, orderOf(row)));
  }

  /** The object as it is after its process has ended: nothing is in memory. */
  restart(): void {
    this.#batch = null;
    this.isDead = false;
  }

  /** Runs until the process ends, and starts it again. @throws when it does not end */
  async dieAt(dies: (statement: string, values: readonly unknown[]) => boolean): Promise<void> {
    this.dies = dies;
    await this.until(() => this.isDead).catch((error: unknown) => {
      if (!this.isDead) throw error;
    });
    if (!this.isDead) throw new Error("the process did not end");
    this.dies = () => false;
    this.restart();
  }

  view(): Promise<BatchView> {
    return this.inside(viewOf);
  }

  items(): Promise<ItemView[]> {
    return this.inside((batch) => itemsOf(batch, { status: null, after: 0, limit: 1000 }));
  }

  async item(sourceId: string): Promise<ItemView> {
    return (await this.items()).find((item) => item.sourceId === sourceId)!;
  }

  async command(given: BatchCommand): Promise<BatchView | null> {
    const row = await this.row();
    return await this.inside((batch) => command(batch, given, orderOf(row)));
  }

  /** Runs the timers that are due now, as one alarm, which is one invocation of the Worker. */
  turn(): Promise<void> {
    return this.inside((batch) => asInvocation(() => batch.timers.runDue(batchTimers(batch))));
  }

  /**
   * Moves the clock from timer to timer.
   *
   * @param isIt stops there; default: when no timer is left
   * @throws when it does not come within a day of the batch's clock
   */
  async until(
    isIt: (view: BatchView) => boolean | Promise<boolean> = () => false,
    limitMs = FOREVER_MS,
  ): Promise<BatchView> {
    const endMs = this.nowMs + limitMs;
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      const view = await this.view();
      if (this.isDead || (await isIt(view))) return view;
      const nextMs = await this.nextMs();
      if (nextMs === null) return view;
      if (nextMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, nextMs);
      await this.turn();
    }
    throw new Error(`it never came: ${JSON.stringify(await this.view())}`);
  }

  /** The same, with media that become ready as soon as they are made. @param change further columns of theirs */
  async finish(change: Partial<typeof assets.$inferInsert> = {}): Promise<BatchView> {
    return await this.until(async ({ counts }) => {
      if (counts.submitted > 0) await this.readyAll(change);
      return false;
    });
  }

  /** When the first timer is due, epoch ms. */
  nextMs(): Promise<number | null> {
    return this.inside(({ timers }) => {
      const dues = Object.values(timers.dues());
      return dues.length === 0 ? null : Math.min(...dues);
    });
  }

  /** Media of this batch that are being prepared become ready, as an encoder would make them. */
  async readyAll(change: Partial<typeof assets.$inferInsert> = {}): Promise<void> {
    const ready = {
      status: "ready",
      durationMs: 5000,
      widthPx: 640,
      heightPx: 360,
      readyAt: new Date(),
      ...change,
    } as const;
    await this.#changeAll(ready);
  }

  async readyOne(): Promise<void> {
    const made = sql`SELECT media_id FROM imported_videos WHERE batch_id = ${this.id}`;
    const one = sql`SELECT id FROM assets WHERE status = 'processing' AND id IN (${made}) LIMIT 1`;
    await openDatabase(env.DB)
      .update(assets)
      .set({ status: "ready", durationMs: 5000, widthPx: 640, heightPx: 360 })
      .where(sql`${assets.id} IN (${one})`);
  }

  async failAll(errorCode: string, errorMessage = "It failed."): Promise<void> {
    await this.#changeAll({ status: "errored", errorCode, errorMessage });
  }

  async #changeAll(change: Partial<typeof assets.$inferInsert>): Promise<void> {
    const made = sql`SELECT media_id FROM imported_videos WHERE batch_id = ${this.id}`;
    await openDatabase(env.DB)
      .update(assets)
      .set(change)
      .where(sql`${assets.status} = 'processing' AND ${assets.id} IN (${made})`);
  }

  /** Runs in the object, with its components. A source may call it, too. */
  inside<T>(work: (batch: BatchComponents) => T | Promise<T>): Promise<T> {
    return outsideInvocation(() => this.#inside(work));
  }

  #inside<T>(work: (batch: BatchComponents) => T | Promise<T>): Promise<T> {
    const stub = env.IMPORT_BATCH.get(env.IMPORT_BATCH.idFromName(this.id));
    return runInDurableObject(stub, async (object: ImportBatch, { storage }) => {
      this.#batch ??= this.#assemble(storage);
      Object.assign(object, { components: this.#batch }); // for calls of the API
      const result = await work(this.#batch);
      while (this.#after.length > 0) await Promise.all(this.#after.splice(0));
      return result;
    });
  }

  #assemble(storage: DurableObjectStorage): BatchComponents {
    const runtime = {
      after: (work: Promise<unknown>) => void this.#after.push(work),
      self: this.#options.self,
      open: async ({ order }: BatchComponents) => {
        this.beforeOpen(order);
        this.opened.push(order.credentialId);
        return this.source;
      },
    };
    return new BatchComponents(
      guarded(
        storage,
        (statement, values) => {
          this.isDead ||= this.dies(statement, values);
          if (this.isDead) throw new Error("the process has ended");
        },
        (atMs) => {
          this.alarmMs = atMs;
        },
      ),
      { ...env, ...this.#options.env },
      runtime,
      (batch, messages) => this.project(batch, messages),
      () => this.nowMs,
    );
  }
}

/** A storage without alarms, which would run the object by the real clock. @param guard throws where nothing can be written any more */
const guarded = (
  storage: DurableObjectStorage,
  guard: (statement: string, values: readonly unknown[]) => void,
  setAlarm: (atMs: number) => void,
): DurableObjectStorage => {
  const { sql: real, kv } = storage;
  const replaced = {
    setAlarm: async (atMs: number) => setAlarm(atMs),
    deleteAlarm: async () => undefined,
    sql: {
      exec: (statement: string, ...values: SqlStorageValue[]) => {
        guard(statement, values);
        return real.exec(statement, ...values);
      },
    },
    kv: {
      get: (key: string) => kv.get(key),
      put: (key: string, value: unknown) => {
        guard(`kv ${key}`, [value]);
        kv.put(key, value);
      },
      delete: (key: string) => {
        guard(`kv ${key}`, []);
        return kv.delete(key);
      },
    },
    transactionSync: <T>(write: () => T): T => storage.transactionSync(write),
  };
  return replaced as unknown as DurableObjectStorage; // what a batch uses of it
};

export async function newBatch(options: BenchOptions): Promise<BatchBench> {
  const bench = new BatchBench(options);
  await bench.begin();
  return bench;
}
