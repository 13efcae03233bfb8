import { DurableObject } from "cloudflare:workers";
import { receiveStoreCall } from "../src/analytics/store/receive-store-call.ts";
import { ViewTable } from "../src/analytics/store/view-table.ts";
import type { Env } from "../src/platform/env.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Holds the views of one workspace and month, and answers questions about them (docs/architecture/video-data.md). */
export class ViewStore extends DurableObject<Env> {
  readonly #serve: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const table = new ViewTable(ctx.storage);
    this.#serve = serveMachine({ calls: {}, receive: (name, document) => receiveStoreCall(table, name, document) });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }
}
