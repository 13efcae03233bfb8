import { DurableObject } from "cloudflare:workers";
import { announceView } from "../src/analytics/view-machine/announce-view.ts";
import { isFreeable } from "../src/analytics/view-machine/free-view.ts";
import { ViewParts } from "../src/analytics/view-machine/parts.ts";
import { receiveViewCall } from "../src/analytics/view-machine/receive-view-call.ts";
import { viewTimers } from "../src/analytics/view-machine/timers.ts";
import type { Env } from "../src/platform/env.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Owns one view: its events, and when it ends (docs/architecture/video-data.md). */
export class ViewMachine extends DurableObject<Env> {
  readonly #serve: (request: Request) => Promise<Response>;
  #opened: ViewParts | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#serve = serveMachine({ calls: {}, receive: (name, document) => receiveViewCall(this.parts, name, document) });
  }

  get parts(): ViewParts {
    return (this.#opened ??= new ViewParts(this.ctx, this.env, announceView));
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override async alarm(): Promise<void> {
    if (!isFreeable(this.parts)) return await this.parts.timers.runDue(viewTimers(this.parts));
    this.#opened = null;
    await this.ctx.storage.deleteAll();
  }
}
