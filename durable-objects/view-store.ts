import { DurableObject } from "cloudflare:workers";
import { receiveStoreCall } from "../src/analytics/store/receive-store-call.ts";
import { planDeletion } from "../src/analytics/store/retention.ts";
import { ViewTable } from "../src/analytics/store/view-table.ts";
import type { Env } from "../src/platform/env.ts";
import { log } from "../src/platform/log.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Holds the views of one workspace and month, and answers questions about them (docs/architecture/video-data.md). */
export class ViewStore extends DurableObject<Env> {
  readonly #serve: (request: Request) => Promise<Response>;
  #table: ViewTable | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#serve = serveMachine({ calls: {}, receive: (name, document) => this.#receive(name, document) });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  /** No view of the month can be asked for any more. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.#table = null;
    log("view_store.deleted", { store: this.ctx.id.name ?? this.ctx.id.toString() });
  }

  async #receive(name: string, document: unknown): Promise<unknown> {
    if (name === "put") await planDeletion(this.ctx.storage, Date.now());
    this.#table ??= new ViewTable(this.ctx.storage);
    return receiveStoreCall(this.#table, name, document);
  }
}
