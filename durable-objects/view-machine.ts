import { DurableObject } from "cloudflare:workers";
import { announceView } from "../src/analytics/view-machine/announce-view.ts";
import { ViewParts } from "../src/analytics/view-machine/parts.ts";
import { takeEvents } from "../src/analytics/view-machine/take-events.ts";
import { viewTimers } from "../src/analytics/view-machine/timers.ts";
import type { ViewReport } from "../src/analytics/views/view-calls.ts";
import type { Env } from "../src/platform/env.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Owns one view: its events, and when it ends (docs/architecture/video-data.md). */
export class ViewMachine extends DurableObject<Env> {
  readonly parts: ViewParts;
  readonly #serve: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const machine = new ViewParts(ctx, env, announceView);
    this.parts = machine;
    this.#serve = serveMachine({ calls: {}, receive: (_name, report) => takeEvents(machine, report as ViewReport) });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override alarm(): Promise<void> {
    return this.parts.timers.runDue(viewTimers(this.parts));
  }
}
