import { DurableObject } from "cloudflare:workers";
import { clipSourceOf } from "../src/library/asset-machine/clips/clip-source-of.ts";
import { AssetComponents } from "../src/library/asset-machine/core/components.ts";
import { dropInsight, takeInsight } from "../src/library/asset-machine/insights/take-insight.ts";
import { noteArrival } from "../src/library/asset-machine/follow-upload.ts";
import { jobCalls } from "../src/library/asset-machine/job-calls.ts";
import { confirmPurge, removeAsset } from "../src/library/asset-machine/remove-asset.ts";
import { startAsset } from "../src/library/asset-machine/start-asset.ts";
import { assetTimers } from "../src/library/asset-machine/timers.ts";
import { removeTrack, takeTrack } from "../src/library/asset-machine/tracks/preparation.ts";
import type { AssetCalls } from "../src/library/assets/asset-calls.ts";
import type { Env } from "../src/platform/env.ts";
import { serveCalls } from "../src/platform/machine/itty.ts";

/** Owns the processing of one asset, from its URL to a whole ladder (docs/architecture/on-demand.md). */
export class AssetMachine extends DurableObject<Env> {
  readonly components: AssetComponents;
  readonly #serve: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const machine = new AssetComponents(ctx, env);
    this.components = machine;
    this.#serve = serveCalls<AssetCalls>({
      ...jobCalls(machine),
      start: (assetId, asset) => startAsset(machine, assetId, asset ?? null),
      remove: (assetId, afterMs) => removeAsset(machine, assetId, afterMs),
      confirmPurge: (pass) => confirmPurge(machine, pass),
      pausePurge: () => machine.timers.cancel("purge"),
      readClipSource: () => clipSourceOf(machine),
      noteArrival: () => noteArrival(machine),
      takeTrack: (track) => takeTrack(machine, track),
      removeTrack: (track) => removeTrack(machine, track),
      takeInsight: (insight) => takeInsight(machine, insight),
      dropInsight: (kind, requestId) => dropInsight(machine, kind, requestId),
    });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override alarm(): Promise<void> {
    return this.components.timers.runDue(assetTimers(this.components));
  }
}
