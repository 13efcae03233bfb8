import { ENCODER_LOST } from "../assets/asset-error.ts";
import { dispatchJobs } from "../encoding/dispatcher.ts";
import { isCaptionsJob, trackOfJob } from "../encoding/job-spec.ts";
import type { JobRow, JobStore } from "../encoding/job-store.ts";
import type { AssetComponents } from "./components.ts";
import { contextOfSource } from "./dispatch.ts";
import { endTrack } from "./end-track.ts";
import { dropCaptions } from "./on-captions-job.ts";

/**
 * Submits the jobs of added audio tracks and that of the source's subtitles, and takes back those whose lease has expired.
 *
 * @returns when to do so again, epoch ms
 */
export async function dispatchTrackJobs(machine: AssetComponents): Promise<number> {
  const { clock, env, trackJobs, tracks } = machine;
  const contextOf = ({ id }: JobRow) => {
    if (isCaptionsJob(id)) return contextOfSource(machine);
    const track = tracks.get(trackOfJob(id) ?? "");
    if (track === null) throw new Error(`the job ${id} is of no track`);
    const { assetId, publicUrl, plan } = track;
    return { assetId, publicUrl, clip: { startMs: 0, endMs: null }, plan: plan ?? undefined };
  };
  if (machine.state.status === "errored") for (const id of captionsJobsOf(trackJobs)) trackJobs.remove(id);
  while (!trackJobs.isComplete()) {
    const outcome = await dispatchJobs(env, trackJobs, contextOf, clock());
    if (!("lost" in outcome)) return outcome.againAtMs;
    if (isCaptionsJob(outcome.lost.id)) {
      dropCaptions(machine, outcome.lost.id, ENCODER_LOST.code);
      continue;
    }
    endTrack(machine, trackOfJob(outcome.lost.id) ?? "", ENCODER_LOST);
  }
  return Infinity;
}

/** Those that are not done. */
export const captionsJobsOf = (jobs: JobStore) =>
  [...jobs.leased(), ...jobs.queued(Number.MAX_SAFE_INTEGER)].map(({ id }) => id).filter(isCaptionsJob);
