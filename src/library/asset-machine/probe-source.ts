import { log } from "../../platform/log.ts";
import { copyProgress } from "../encoding/progress.ts";
import { probeAtEdge } from "../assets/edge-probe.ts";
import { type AssetComponents, NON_STANDARD } from "./core/components.ts";

/** Delays the copy of a playable source, so that it does not compete with the first viewers for bandwidth. */
const COPY_DELAY_MS = 1000;

/** Reads the source's index. A standard source is playable afterwards. */
export async function probeSource(machine: AssetComponents): Promise<void> {
  const { asset, documents, outbox } = machine;
  const startedAt = machine.clock();
  const probe = await probeAtEdge(machine.env, asset);
  if (!machine.isProcessing) return;
  const { isStandard, onLadderGrid, bitrateBps, reason, detected } = probe;
  machine.commit(() => {
    documents.put("edge", { onLadderGrid, isStandard, bitrateBps });
    machine.enterStage("downloading", { ...probe.facts, progress: copyProgress(0, null) });
    machine.enqueueRenditions(probe.renditions);
    if (probe.tracks.length > 0) outbox.enqueue({ kind: "tracks", payload: probe.tracks });
    if (detected !== null) machine.enqueueEvent(NON_STANDARD, detected);
  });
  log("asset.probed", { assetId: asset.id, isStandard, reason, tookMs: machine.clock() - startedAt });
  await outbox.drain(); // a standard source plays from here on
  machine.timers.schedule("work", machine.clock() + (isStandard ? COPY_DELAY_MS : 0));
}
