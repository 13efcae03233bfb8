import { DurableObject } from "cloudflare:workers";
import { StreamComponents } from "../src/live/stream-machine/components.ts";
import { receiveCall } from "../src/live/stream-machine/receive-call.ts";
import { streamTimers } from "../src/live/stream-machine/timers.ts";
import type { Env } from "../src/platform/env.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Owns the state of one live stream: its broadcaster, its session and its reconnect window (docs/architecture/live.md). */
export class LiveStreamMachine extends DurableObject<Env> {
  readonly components: StreamComponents;
  readonly #serve: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const machine = new StreamComponents(ctx, env);
    this.components = machine;
    this.#serve = serveMachine({ calls: {}, receive: (name, order) => receiveCall(machine, name, order) });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override alarm(): Promise<void> {
    return this.components.timers.runDue(streamTimers(this.components));
  }
}
