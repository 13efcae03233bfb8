import { cleanUp } from "./clean-up.ts";
import type { AssetComponents } from "./components.ts";

const PURGE_RETRY_MS = 60_000;

/** Sends the current pass to the purge queue, again every minute until the consumer reports it done. */
export async function purge(machine: AssetComponents): Promise<void> {
  if (machine.state.status !== "deleted") return;
  await cleanUp(machine);
  machine.timers.schedule("purge", machine.clock() + PURGE_RETRY_MS);
  await machine.env.PURGES.send({ assetId: machine.id, pass: machine.documents.get("purgePass") ?? 1 });
}
