import type { AssetMachine } from "../../durable-objects/asset-machine.ts";
import { machineStub } from "../../durable-objects/machine.ts";
import type { Env } from "../env.ts";

/** Viewers of a broadcast play it to its end after it is over; they are at most a minute behind unless they have gone back. */
const PLAYS_ON_MS = 5 * 60_000;

/** A broadcast is over that leaves no media: its bytes go when nobody plays from them any more. */
export async function purgeAfterBroadcast(env: Env, sessionId: string): Promise<void> {
  await machineStub<AssetMachine>(env.ASSET_MACHINE, sessionId).remove(sessionId, PLAYS_ON_MS);
}
