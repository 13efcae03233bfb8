import { openDatabase } from "../../platform/database.ts";
import { boundsOf, usageOf } from "../../tenancy/limits/index.ts";
import { STORAGE_FULL } from "../assets/asset-error.ts";
import { failAsset } from "./end-processing.ts";
import { jobId } from "../encoding/job-spec.ts";
import { copyProgress } from "../encoding/progress.ts";
import { nextCopyStep } from "../sources/copy-to-r2.ts";
import type { AssetComponents } from "./core/components.ts";
import { MAX_MARK_BYTES } from "../../../protocol/jobs.ts";
import { SourceError } from "../sources/source-errors.ts";
import { indexNextFile, unindexedFile } from "./index-joined.ts";
import { copiedFiles, keepCopy, markFile, nextFile } from "./source-files.ts";

const STEP_MS = 5000;

/** Copies the next part of the source, or of the next file of a montage, to R2. After the last one, an encoder probes the copies. */
export async function copySource(machine: AssetComponents): Promise<void> {
  const { asset, clock, documents } = machine;
  const file = nextFile(machine);
  if (file === undefined) return await endCopies(machine);
  const { url, key, copy = null } = file;
  const isMark = asset.watermark !== null && file.number === markFile(asset);
  const onBytes = (bytes: number) => {
    if (isMark && bytes > MAX_MARK_BYTES) throw new SourceError("source_too_large");
  };
  const budget = { maxMs: STEP_MS, clock, signal: machine.copying.signal, onBytes };
  const step = await nextCopyStep(machine.env, { assetId: asset.id, url, key }, copy, budget);
  if (!machine.isProcessing) return;
  onBytes(step.totalBytes ?? 0);
  const files = copiedFiles(machine);
  const position = files.findIndex(({ number }) => number === file.number);
  const before = documents.get("copiedBytes") ?? 0;
  machine.commit(() => {
    keepCopy(machine, file, step.state);
    documents.put("sourceFailures", 0);
    if (step.done) documents.put("copiedBytes", before + step.bytesCopied);
    const share = step.done ? 1 : step.bytesCopied / (step.totalBytes ?? Infinity);
    machine.enqueueFacts({
      progress: copyProgress(position + share, files.length),
      sourceBytes: before + (step.totalBytes ?? step.bytesCopied),
    });
    if (step.done && nextFile(machine) === undefined && unindexedFile(machine) === null) beginProbes(machine);
  });
  if (step.totalBytes !== null && !(await hasRoom(machine, position))) return failAsset(machine, STORAGE_FULL);
  machine.timers.schedule("work", clock());
}

/** Everything is stored: indexes of joined files are read, one each step, before the files are probed. */
async function endCopies(machine: AssetComponents): Promise<void> {
  const isRead = await indexNextFile(machine);
  if (!machine.isProcessing) return;
  if (!isRead) machine.commit(() => beginProbes(machine));
  machine.timers.schedule("work", machine.clock());
}

/**
 * Whether the workspace has room for a file, of which the length is known and counted from now on. The length of a file by URL is not known when the media is
 * created.
 */
async function hasRoom({ asset, documents, env, outbox }: AssetComponents, position: number): Promise<boolean> {
  if ((documents.get("fittingFiles") ?? 0) > position) return true;
  await outbox.drain();
  const { storedBytes } = await usageOf(openDatabase(env.DB), asset.workspaceId);
  if (storedBytes > boundsOf(env).storedBytes) return false;
  documents.put("fittingFiles", position + 1);
  return true;
}

/** Everything is stored. Part of a commit. */
export function beginProbes(machine: AssetComponents): void {
  const { asset, jobs } = machine;
  machine.enterStage("validating", { progress: copyProgress(1, 1) });
  jobs.add(jobId(asset.id, { kind: "probe" }), { kind: "probe" });
  for (const [file] of (asset.montage?.files ?? []).entries())
    if (file > 0) jobs.add(jobId(asset.id, { kind: "probe", file }), { kind: "probe", file });
}
