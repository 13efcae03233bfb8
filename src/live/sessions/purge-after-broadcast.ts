import { assetMachine } from "../../library/assets/index.ts";
import type { Env } from "../../platform/env.ts";
import { PLAYS_ON_MS } from "../streams/after-end.ts";

/** Deletes the bytes of a broadcast without a recording, after its viewers have had time to play to its end. */
export async function purgeAfterBroadcast(env: Env, sessionId: string): Promise<void> {
  await assetMachine(env, sessionId).remove(sessionId, PLAYS_ON_MS);
}
