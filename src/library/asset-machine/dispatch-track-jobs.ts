import { ENCODER_LOST } from "../assets/asset-error.ts";
import { dispatchJobs } from "../encoding/dispatcher.ts";
import { trackOfJob } from "../encoding/job-spec.ts";
import type { JobRow } from "../encoding/job-store.ts";
import type { AssetParts } from "./parts.ts";
import { endTrack } from "./end-track.ts";

/** Submits the jobs of added audio tracks, and takes back those whose lease has expired. @returns when to do so again, epoch ms */
export async function dispatchTrackJobs(machine: AssetParts): Promise<number> {
  const { clock, env, trackJobs, tracks } = machine;
  const contextOf = ({ id }: JobRow) => {
    const track = tracks.get(trackOfJob(id) ?? "");
    if (track === null) throw new Error(`the job ${id} is of no track`);
    const { assetId, publicUrl, plan } = track;
    return { assetId, publicUrl, clip: { startMs: 0, endMs: null }, plan: plan ?? undefined };
  };
  while (!trackJobs.isComplete()) {
    const outcome = await dispatchJobs(env, trackJobs, contextOf, clock());
    if (!("lost" in outcome)) return outcome.againAtMs;
    endTrack(machine, trackOfJob(outcome.lost.id) ?? "", ENCODER_LOST);
  }
  return Infinity;
}
