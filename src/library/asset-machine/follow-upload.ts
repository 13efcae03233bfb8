import { planSegment } from "../../media/mp4/index-file.ts";
import { log } from "../../platform/log.ts";
import { probeAtEdge } from "../assets/edge-probe.ts";
import { copyProgress } from "../encoding/progress.ts";
import { openStoredIndex } from "../sources/stored-passthrough.ts";
import { NotArrived, openUploadedSource, type UploadedSource } from "../sources/uploaded-source.ts";
import { beginProbes } from "./copy-source.ts";
import { type AssetComponents, NON_STANDARD } from "./core/components.ts";
import { nextFile } from "./source-files.ts";

/** The upload's machine reports each arrival. Should a report be lost, the next step comes after this time. */
const NEXT_LOOK_MS = 60_000;
/** New segments that one step lists: a segment of a long source costs a read of its index. */
const SEGMENTS_AT_ONCE = 200;

/**
 * Takes the next step with an uploaded source, which may be still coming in. A standard source plays as far as it has arrived; when it is
 * whole, an encoder probes it. Its pieces are the copy.
 */
export async function followUpload(machine: AssetComponents): Promise<void> {
  const { asset, documents, env, outbox, timers } = machine;
  const seen = documents.get("arrivals") ?? 0;
  const source = await openUploadedSource(env, asset.id);
  const isProbed = documents.get("edge") !== undefined || (await probeUpload(machine, source));
  if (!machine.isProcessing) return;
  if (isProbed && source.isWhole) {
    completeSource(machine, source.storedBytes);
    await outbox.drain();
    return timers.schedule("work", machine.clock());
  }
  const hasMore = isProbed && (await listArrived(machine, source));
  machine.enqueueFacts({ stage: "downloading", progress: copyProgress(source.storedBytes, source.size) });
  await outbox.drain();
  const isBehind = hasMore || (documents.get("arrivals") ?? 0) !== seen;
  timers.schedule("work", machine.clock() + (isBehind ? 0 : NEXT_LOOK_MS));
}

/** Reads the index. @returns false when it has not arrived */
async function probeUpload(machine: AssetComponents, { isWhole }: UploadedSource): Promise<boolean> {
  const { asset, documents, outbox } = machine;
  const startedAt = machine.clock();
  let probe;
  try {
    probe = await probeAtEdge(machine.env, asset);
  } catch (error) {
    if (error instanceof NotArrived) return false;
    throw error;
  }
  if (!machine.isProcessing) return false;
  const { facts, renditions, tracks, summary, isStandard, reason, detected } = probe;
  machine.commit(() => {
    documents.put("edge", summary);
    if (detected !== null) documents.put("detected", detected);
    machine.enqueueFacts(facts);
    machine.enqueueRenditions(renditions.map((row) => ({ ...row, isWhole, arrivedSegments: isWhole ? null : 0 })));
    if (tracks.length > 0) outbox.enqueue({ kind: "tracks", payload: tracks });
    if (!isWhole) documents.put("arrived", Object.fromEntries(renditions.map(({ name }) => [name, 0])));
  });
  log("asset.probed", { assetId: asset.id, isStandard, reason, isWhole, tookMs: machine.clock() - startedAt });
  return true;
}

/** Lists the segments whose bytes are stored. @returns whether there are more of them */
async function listArrived(machine: AssetComponents, { storedBytes }: UploadedSource): Promise<boolean> {
  const arrived = machine.documents.get("arrived") ?? {};
  const counted: Record<string, number> = {};
  for (const [name, count] of Object.entries(arrived))
    counted[name] = await countArrived(machine, name, { count, storedBytes });
  if (!machine.isProcessing) return false;
  machine.commit(() => {
    machine.documents.put("arrived", counted);
    machine.outbox.enqueue({ kind: "arrived", payload: counted });
  });
  return Object.entries(counted).some(([name, count]) => count === arrived[name]! + SEGMENTS_AT_ONCE);
}

async function countArrived(
  { asset, env }: AssetComponents,
  rendition: string,
  { count, storedBytes }: { count: number; storedBytes: number },
): Promise<number> {
  const index = await openStoredIndex(env.MEDIA, asset.id, rendition);
  if (index === null) return count;
  const most = Math.min(index.open.segmentCount, count + SEGMENTS_AT_ONCE);
  let next = count;
  for (; next < most; next += 1) {
    const plan = await planSegment(index.reader, index.open, next);
    if (plan === null || plan.ranges.some(({ offset, length }) => offset + length > storedBytes)) break;
  }
  return next;
}

/** The upload is whole: all segments are listed, and an encoder probes the source, once the further files of a montage are copied. */
function completeSource(machine: AssetComponents, bytes: number): void {
  const { documents, outbox } = machine;
  const arrived = documents.get("arrived");
  const detected = documents.get("detected");
  machine.commit(() => {
    if (arrived !== undefined)
      outbox.enqueue({
        kind: "arrived",
        payload: Object.fromEntries(Object.keys(arrived).map((name) => [name, null])),
      });
    if (detected !== undefined) machine.enqueueEvent(NON_STANDARD, detected);
    documents.delete("arrived", "arrivals", "detected");
    documents.put("copiedBytes", bytes);
    if (nextFile(machine) === undefined) beginProbes(machine);
    else machine.enterStage("downloading", {});
  });
}

/** More of the uploaded source is stored, or all of it. */
export function noteArrival({ documents, isProcessing, timers, clock }: AssetComponents): void {
  if (!isProcessing || documents.get("asset") === undefined) return;
  documents.put("arrivals", (documents.get("arrivals") ?? 0) + 1);
  timers.bringForward("work", clock());
}
