import { jobId } from "../encoding/job-spec.ts";
import { copyProgress } from "../encoding/progress.ts";
import { nextCopyStep } from "../sources/copy-to-r2.ts";
import type { AssetComponents } from "./core/components.ts";
import { copiedFiles, keepCopy, nextFile } from "./source-files.ts";

const STEP_MS = 5000;

/** Copies the next part of the source, or of the next file of a montage, to R2. After the last one, an encoder probes the copies. */
export async function copySource(machine: AssetComponents): Promise<void> {
  const { asset, clock, documents } = machine;
  const file = nextFile(machine);
  if (file === undefined) return beginProbes(machine);
  const { url, key, copy = null } = file;
  const budget = { maxMs: STEP_MS, clock, signal: machine.copying.signal };
  const step = await nextCopyStep(machine.env, { assetId: asset.id, url, key }, copy, budget);
  if (!machine.isProcessing) return;
  const files = copiedFiles(machine);
  const before = documents.get("copiedBytes") ?? 0;
  machine.commit(() => {
    keepCopy(machine, file, step.state);
    documents.put("sourceFailures", 0);
    if (step.done) documents.put("copiedBytes", before + step.bytesCopied);
    const share = step.done ? 1 : step.bytesCopied / (step.totalBytes ?? Infinity);
    machine.enqueueFacts({
      progress: copyProgress(files.indexOf(file) + share, files.length),
      sourceBytes: before + (step.totalBytes ?? step.bytesCopied),
    });
    if (step.done && nextFile(machine) === undefined) beginProbes(machine);
  });
  machine.timers.schedule("work", clock());
}

/** Everything is stored. Part of a commit. */
export function beginProbes(machine: AssetComponents): void {
  const { asset, jobs } = machine;
  machine.enterStage("validating", { progress: copyProgress(1, 1) });
  jobs.add(jobId(asset.id, { kind: "probe" }), { kind: "probe" });
  for (const [file] of (asset.montage?.files ?? []).entries())
    if (file > 0) jobs.add(jobId(asset.id, { kind: "probe", file }), { kind: "probe", file });
}
