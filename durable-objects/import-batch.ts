import { DurableObject } from "cloudflare:workers";
import { BatchComponents } from "../src/imports/batch-machine/components.ts";
import { begin, command, wake } from "../src/imports/batch-machine/commands.ts";
import { forget } from "../src/imports/batch-machine/forget.ts";
import { openBatchSource } from "../src/imports/batch-machine/open-batch-source.ts";
import { projectBatch } from "../src/imports/batch-machine/project.ts";
import { batchTimers } from "../src/imports/batch-machine/timers.ts";
import { itemsOf, reportOf, unknownOf, viewOf } from "../src/imports/batch-machine/view.ts";
import type {
  BatchCalls,
  BatchCommand,
  BatchOrder,
  BatchView,
  ItemState,
  ItemView,
  ReportFacts,
} from "../src/imports/batches/batch-calls.ts";
import type { Env } from "../src/platform/env.ts";
import { entrypoint } from "../src/platform/entrypoint.ts";

/** Owns one batch of a migration: its items, its scan, and what is submitted (docs/architecture/imports.md). */
export class ImportBatch extends DurableObject<Env> implements BatchCalls {
  readonly components: BatchComponents;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const runtime = {
      after: (work: Promise<unknown>) => ctx.waitUntil(work),
      self: entrypoint(ctx.exports, "default"),
      open: openBatchSource,
    };
    this.components = new BatchComponents(ctx.storage, env, runtime, projectBatch);
  }

  begin(order: BatchOrder): void {
    begin(this.components, order);
  }

  view(): BatchView {
    return viewOf(this.components);
  }

  command(given: BatchCommand, order: BatchOrder): BatchView | null {
    return command(this.components, given, order);
  }

  items(query: { status: ItemState | null; after: number; limit: number }): ItemView[] {
    return itemsOf(this.components, query);
  }

  unknown(sourceIds: readonly string[]): string[] {
    return unknownOf(this.components, sourceIds);
  }

  report(): ReportFacts {
    return reportOf(this.components);
  }

  wake(): void {
    wake(this.components);
  }

  forget(): Promise<void> {
    return forget(this.ctx.storage);
  }

  override alarm(): Promise<void> {
    return this.components.timers.runDue(batchTimers(this.components));
  }
}
