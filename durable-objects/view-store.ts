import { DurableObject } from "cloudflare:workers";
import { continueForgetting } from "../src/analytics/store/forget-viewer.ts";
import { handOver } from "../src/analytics/store/hand-over.ts";
import { StoreComponents } from "../src/analytics/store/components.ts";
import { receiveStoreCall } from "../src/analytics/store/receive-store-call.ts";
import { isEmptyStore, sweepStore } from "../src/analytics/store/sweep-store.ts";
import { takeBack } from "../src/analytics/store/take-back.ts";
import type { Env } from "../src/platform/env.ts";
import { log } from "../src/platform/log.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Holds the views of one workspace and month, and answers questions about them (docs/architecture/video-data.md). */
export class ViewStore extends DurableObject<Env> {
  readonly #serve: (request: Request) => Promise<Response>;
  #opened: StoreComponents | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#serve = serveMachine({
      calls: {},
      receive: (name, document) => receiveStoreCall(this.#components, name, document),
    });
  }

  get #components(): StoreComponents {
    return (this.#opened ??= new StoreComponents(this.ctx, this.env));
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override async alarm(): Promise<void> {
    const components = this.#components;
    const handlers = { sweep: sweepStore, forget: continueForgetting, "hand-over": handOver, "take-back": takeBack };
    await components.timers.runDue({ run: async (timer) => await handlers[timer](components) });
    if (!isEmptyStore(components)) return;
    this.#opened = null;
    await this.ctx.storage.deleteAll();
    log("view_store.deleted", { store: this.ctx.id.name ?? this.ctx.id.toString() });
  }
}
