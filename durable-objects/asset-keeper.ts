import type { AssetStatus } from "../src/library/assets/asset-calls.ts";
import { type AssetError, STUCK } from "../src/library/assets/asset-error.ts";
import { erroredFacts } from "../src/library/assets/asset-facts.ts";
import {
  type AssetFacts,
  type AssetMessage,
  type MachineEvent,
  type NewRendition,
  projectAsset,
} from "../src/library/assets/projection.ts";
import type { AssetForMachine } from "../src/library/assets/repository.ts";
import { leaseMs } from "../src/library/encoding/dispatcher.ts";
import { encoderGateway } from "../src/library/encoding/gateway.ts";
import { JobBook } from "../src/library/encoding/job-book.ts";
import type { Env } from "../src/platform/env.ts";
import { log } from "../src/platform/log.ts";
import type { CopyState } from "../src/library/sources/copy-state.ts";
import { abortCopy } from "../src/library/sources/copy-to-r2.ts";
import type { Moves, OutboxMessage } from "../src/platform/machines.ts";
import { Machine } from "./machine.ts";

export type AssetSignal = "finish" | "fail" | "remove";
export type AssetTimer = "work" | "outbox" | "cleanup" | "purge";
export type Stage = "created" | "downloading" | "validating" | "encoding";

export const ASSET_MOVES: Moves<AssetStatus, AssetSignal> = {
  processing: { finish: ["ready", "asset.ready"], fail: ["errored", "asset.errored"], remove: ["deleted", null] },
  ready: { remove: ["deleted", null] },
  errored: { remove: ["deleted", null] },
  deleted: {},
};

const PURGE_AGAIN_MS = 60_000;
/** With the back-off of timers these are about ten minutes of trying. */
const MOST_WORK_FAILURES = 15;
/** A step may be cut off by a deployment; three times in a row it is the step itself. */
const MOST_DEATHS = 3;

/** What an asset machine knows of its asset and tells of it, and how an asset ends: failed or deleted. */
export abstract class AssetKeeper extends Machine<AssetStatus, AssetSignal, AssetTimer> {
  declare jobs: JobBook;
  /** Breaks off the copy that is under way when the asset is deleted. */
  declare copying: AbortController;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.jobs = new JobBook(ctx.storage.sql);
    this.copying = new AbortController();
  }

  protected kind(): string {
    return "asset";
  }

  protected moves() {
    return ASSET_MOVES;
  }

  protected initial(): AssetStatus {
    return "processing";
  }

  /**
   * Ends playback's supply: jobs are cancelled and every byte is purged, also those of writes still under way.
   *
   * @param waitMs before the first byte goes
   */
  async remove(assetId: string, waitMs = 0): Promise<{ status: AssetStatus }> {
    this.copying.abort();
    this.move("remove", () => {
      this.setDocument("name", assetId);
      this.sql.exec("DELETE FROM outbox");
      this.unschedule("work");
    });
    this.setDocument("purgePass", this.document("purgePass") ?? 1);
    this.schedule("purge", Date.now() + waitMs);
    return { status: this.status };
  }

  /** The purge queue has emptied the asset's prefix. A second pass follows when no late write can be under way any more. */
  purged(pass: number): { done: boolean } {
    if (this.status !== "deleted" || this.document("purgePass") !== pass) return { done: false };
    if (pass === 1) {
      this.setDocument("purgePass", 2);
      this.schedule("purge", Date.now() + leaseMs(this.bindings()));
      return { done: false };
    }
    this.commit(() => {
      this.unschedule("purge");
      this.jobs.clear();
      for (const key of ["asset", "plan", "edge", "copy"]) this.state.storage.kv.delete(key);
    });
    return { done: true };
  }

  protected fail(error: AssetError): void {
    this.move("fail", (event) => {
      this.enqueueMessage({ kind: "facts", payload: erroredFacts(error) });
      this.enqueueEvent(event);
    });
    this.unschedule("work");
    this.hasten("outbox", Date.now());
    this.schedule("cleanup", Date.now());
  }

  /** Work that fails for reasons of our own, again and again, must not keep its owner waiting for ever. */
  protected override failing(timer: AssetTimer, failures: number): void {
    if (timer === "work" && failures >= MOST_WORK_FAILURES && this.status === "processing") this.fail(STUCK);
  }

  /**
   * Counts that a step begins, durably, before it does: a step that takes the process down (out of memory is no exception) leaves nothing
   * else behind, and would be repeated forever.
   *
   * @returns false when the last `MOST_DEATHS` tries of this stage have neither ended nor thrown
   */
  protected async beginStep(stage: Stage): Promise<boolean> {
    const open = this.document<{ stage: Stage; tries: number }>("openStep");
    const tries = open?.stage === stage ? open.tries : 0;
    if (tries > 0) log("asset.step_died", { assetId: this.name(), stage, tries });
    if (tries >= MOST_DEATHS) return false;
    this.setDocument("openStep", { stage, tries: tries + 1 });
    await this.state.storage.sync();
    return true;
  }

  protected endStep(): void {
    this.state.storage.kv.delete("openStep");
  }

  /** What a failed asset no longer needs: jobs that still run, the parts of a copy that did not end. */
  protected async cleanUp(): Promise<void> {
    const copy = this.document<CopyState>("copy");
    const gateway = encoderGateway(this.bindings());
    await Promise.all(this.jobs.leased().map((job) => gateway.cancel(job.id, job.attempt)));
    if (copy !== undefined && !copy.done) await abortCopy(this.bindings(), this.name(), copy);
  }

  protected async purge(): Promise<void> {
    if (this.status !== "deleted") return;
    await this.cleanUp();
    this.schedule("purge", Date.now() + PURGE_AGAIN_MS); // until the queue's consumer says it is done
    await this.bindings().PURGES.send({ assetId: this.name(), pass: this.document<number>("purgePass") ?? 1 });
  }

  protected async deliver(messages: OutboxMessage[]): Promise<void> {
    await projectAsset(this.bindings(), this.name(), messages, new Date());
  }

  protected enter(stage: Stage | "done", facts: AssetFacts = {}): void {
    this.setDocument("stage", stage);
    this.enqueueMessage({ kind: "facts", payload: { stage, ...facts } });
  }

  protected enqueueMessage({ kind, payload }: AssetMessage): void {
    this.enqueue(kind, payload);
  }

  /** One message each: the segment list of a 12 h rendition has 0.5 MB, and a row of the outbox holds 2 MB. */
  protected enqueueRenditions(rows: NewRendition[]): void {
    for (const row of rows) this.enqueueMessage({ kind: "rendition", payload: row });
  }

  protected enqueueEvent(type: string | null): void {
    if (type === null) return;
    const event = { id: crypto.randomUUID(), type: type as MachineEvent["type"], occurredAtMs: Date.now() };
    this.enqueueMessage({ kind: "event", payload: event });
  }

  protected asset(): AssetForMachine {
    const asset = this.document<AssetForMachine>("asset");
    if (asset === undefined) throw new Error("the machine has not been started");
    return asset;
  }
}
