import type { SourceFacts } from "../../../protocol/source-facts.ts";
import { type AssetError, notJoined } from "../assets/asset-error.ts";
import { plannedFacts } from "../assets/asset-facts.ts";
import { tracksOf } from "../assets/track-rows.ts";
import { jobId, jobsOf } from "../encoding/job-spec.ts";
import { type EncodingPlan, planWithPassthrough } from "../encoding/plan.ts";
import { planMontage } from "../encoding/plan-montage.ts";
import { planCaptions, planMontageCaptions } from "./tracks/captions-job.ts";
import { wakeTracks } from "./tracks/preparation.ts";
import { encodingProgress } from "../encoding/progress.ts";
import { toWatermark } from "../../media/edits/watermark.ts";
import type { Montage } from "../../media/edits/montage.ts";
import type { AssetForMachine } from "../assets/repository.ts";
import { suitTopRung } from "../encoding/copied-takes.ts";
import { markFile } from "./source-files.ts";
import type { AssetComponents, AssetDocuments } from "./core/components.ts";

/** Characters of a plan as JSON, each of one byte. It is stored in a row of at most 2 MB, and each job carries a part of it. */
const MAX_PLAN_LENGTH = 1_500_000;

/**
 * Plans the encoding once the source, and every further file of a montage, is probed, and adds its jobs. Part of the caller's commit.
 *
 * @returns what makes a montage impossible
 */
export function planJobs(machine: AssetComponents): AssetError | null {
  const { asset, documents } = machine;
  const files = probedFiles(machine);
  const [source] = files ?? [];
  if (files === null || source === undefined) return null;
  if (asset.montage === null) {
    const { plan, skipTopRung } = planWithPassthrough(source, asset, documents.get("edge") ?? null);
    begin(machine, source, { ...plan, ...markOf(asset) }, skipTopRung);
    planCaptions(machine, source.subtitles ?? []);
    return null;
  }
  const joined = planJoined(machine, asset.montage, files);
  if ("problem" in joined) return notJoined(joined);
  const { facts, plan: whole } = joined;
  if (JSON.stringify(whole).length > MAX_PLAN_LENGTH)
    return notJoined({ problem: "The files have too many streams, or their clocks jump too often.", isTooLong: false });
  begin(machine, facts, whole, false);
  planMontageCaptions(machine, files);
  return null;
}

/** The plan of a montage, with a copied top rung where the pictures of its files suit it. */
function planJoined({ asset, documents }: AssetComponents, montage: Montage, files: SourceFacts[]) {
  const planWith = (copies: AssetDocuments["copyFacts"]) => {
    const planned = planMontage(montage, files, copies);
    if ("problem" in planned) return planned;
    const { plan } = planWithPassthrough(planned.facts, asset, null);
    return { facts: planned.facts, plan: { ...plan, ...markOf(asset), montage: planned.plan } };
  };
  const copies = documents.get("copyFacts") ?? [];
  const copying = planWith(copies);
  if ("problem" in copying || copying.plan.montage.picture?.copiesTopRung !== true) return copying;
  const { video } = copying.plan;
  return video !== null && suitTopRung(video, copies) ? copying : planWith([]);
}

const markOf = (asset: AssetForMachine) =>
  asset.watermark === null ? {} : { watermark: toWatermark(asset.watermark, markFile(asset)) };

/** By the position of the file. Null = not all are probed. */
function probedFiles({ asset, jobs }: AssetComponents): SourceFacts[] | null {
  const files: SourceFacts[] = [];
  for (let file = 0; file < (asset.montage?.files.length ?? 1); file += 1) {
    const spec = { kind: "probe", ...(file === 0 ? {} : { file }) } as const;
    const result = jobs.get(jobId(asset.id, spec))?.result;
    if (result?.kind !== "probe") return null;
    files.push(result.facts);
  }
  return files;
}

function begin(machine: AssetComponents, facts: SourceFacts, plan: EncodingPlan, skipTopRung: boolean): void {
  const { asset, documents, jobs } = machine;
  documents.put("plan", plan);
  documents.put("skipTopRung", skipTopRung);
  for (const spec of jobsOf(plan)) jobs.add(jobId(asset.id, spec), spec);
  machine.enterStage("encoding", { ...plannedFacts(facts, plan), progress: encodingProgress(plan, jobs.overview()) });
  wakeTracks(machine, machine.clock());
  machine.outbox.enqueue({ kind: "tracks", payload: tracksOf(asset.id, facts) });
}
