import type { EdgeParts } from "./parts.ts";

/** Deletes the index of an ended session after `afterMs`. Until then, players can play to the end. */
export async function releaseSession(edge: EdgeParts, afterMs: number): Promise<void> {
  if (!edge.index.hasEnded) return;
  edge.kv.put("releaseAtMs", edge.clock() + afterMs);
  await edge.schedule();
}
