import type { SourceFacts } from "../../../protocol/jobs.ts";
import { plannedFacts } from "../assets/asset-facts.ts";
import { tracksOf } from "../assets/track-rows.ts";
import { jobId, jobsOf } from "../encoding/job-spec.ts";
import { planWithPassthrough } from "../encoding/plan.ts";
import { planCaptions } from "./tracks/captions-job.ts";
import { encodingProgress } from "../encoding/progress.ts";
import type { AssetComponents } from "./core/components.ts";

/** Plans the encoding of a probed source and adds its jobs. Part of the caller's commit. */
export function planJobs(machine: AssetComponents, facts: SourceFacts): void {
  const { asset, documents, jobs } = machine;
  const { plan, skipTopRung } = planWithPassthrough(facts, asset, documents.get("edge") ?? null);
  documents.put("plan", plan);
  documents.put("skipTopRung", skipTopRung);
  for (const spec of jobsOf(plan)) jobs.add(jobId(asset.id, spec), spec);
  planCaptions(machine, facts.subtitles ?? []);
  machine.enterStage("encoding", { ...plannedFacts(facts, plan), progress: encodingProgress(plan, jobs.overview()) });
  machine.outbox.enqueue({ kind: "tracks", payload: tracksOf(asset.id, facts) });
}
