import type { AssetMachine } from "../../../durable-objects/asset-machine.ts";
import { machineStub } from "../../../durable-objects/machine.ts";
import type { Env } from "../../platform/env.ts";
import { PLAYS_ON_MS } from "./repository.ts";

/** A broadcast is over that leaves no media: its bytes go when nobody plays from them any more. */
export async function purgeAfterBroadcast(env: Env, sessionId: string): Promise<void> {
  await machineStub<AssetMachine>(env.ASSET_MACHINE, sessionId).remove(sessionId, PLAYS_ON_MS);
}
