import { DurableObject } from "cloudflare:workers";
import { onPurged } from "../src/library/asset-machine/on-purged.ts";
import { AssetComponents } from "../src/library/asset-machine/components.ts";
import { receiveDocument } from "../src/library/asset-machine/receive-document.ts";
import { removeAsset } from "../src/library/asset-machine/remove-asset.ts";
import { startById } from "../src/library/asset-machine/start-by-id.ts";
import { assetTimers } from "../src/library/asset-machine/timers.ts";
import type { AssetCalls } from "../src/library/assets/asset-calls.ts";
import type { Env } from "../src/platform/env.ts";
import { serveMachine } from "../src/platform/machine/serve.ts";

/** Owns the processing of one asset, from its URL to a whole ladder (docs/architecture/on-demand.md). */
export class AssetMachine extends DurableObject<Env> {
  readonly components: AssetComponents;
  readonly #serve: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const machine = new AssetComponents(ctx, env);
    const calls: AssetCalls = {
      start: (assetId) => startById(machine, assetId),
      remove: async (assetId, afterMs) => removeAsset(machine, assetId, afterMs),
      purged: (pass) => onPurged(machine, pass),
    };
    this.components = machine;
    this.#serve = serveMachine({ calls, receive: (name, document) => receiveDocument(machine, name, document) });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override alarm(): Promise<void> {
    return this.components.timers.runDue(assetTimers(this.components));
  }
}
