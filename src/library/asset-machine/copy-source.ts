import { jobId } from "../encoding/job-spec.ts";
import { copyProgress } from "../encoding/progress.ts";
import { nextCopyStep } from "../sources/copy-to-r2.ts";
import type { AssetComponents } from "./core/components.ts";

const STEP_MS = 5000;

/** Copies the next part of the source to R2. After the last one, an encoder probes the copy. */
export async function copySource(machine: AssetComponents): Promise<void> {
  const { asset, clock, documents } = machine;
  const source = { assetId: asset.id, url: asset.sourceUrl };
  const budget = { maxMs: STEP_MS, clock, signal: machine.copying.signal };
  const step = await nextCopyStep(machine.env, source, documents.get("copy") ?? null, budget);
  if (!machine.isProcessing) return;
  machine.commit(() => {
    documents.put("copy", step.state);
    documents.put("sourceFailures", 0);
    if (step.done) {
      machine.enterStage("validating", { progress: copyProgress(1, 1), sourceBytes: step.bytesCopied });
      machine.jobs.add(jobId(asset.id, { kind: "probe" }), { kind: "probe" });
    } else {
      machine.enqueueFacts({
        progress: copyProgress(step.bytesCopied, step.totalBytes),
        sourceBytes: step.totalBytes ?? step.bytesCopied,
      });
    }
  });
  machine.timers.schedule("work", clock());
}
