import { DurableObject } from "cloudflare:workers";
import { UploadComponents } from "../src/library/upload-machine/components.ts";
import { receiveCall } from "../src/library/upload-machine/receive-call.ts";
import { uploadTimers } from "../src/library/upload-machine/timers.ts";
import type { Env } from "../src/platform/env.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Owns one direct upload: which bytes are stored, and in which pieces (docs/architecture/uploads.md). */
export class UploadMachine extends DurableObject<Env> {
  readonly components: UploadComponents;
  readonly #serve: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const machine = new UploadComponents(ctx, env);
    this.components = machine;
    this.#serve = serveMachine({ calls: {}, receive: (name, document) => receiveCall(machine, name, document) });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override alarm(): Promise<void> {
    return this.components.timers.runDue(uploadTimers(this.components));
  }
}
