import { logError, logWarning } from "../../../platform/log.ts";
import { CaptionsError } from "../../../media/captions/cue.ts";
import { ENCODER_LOST, fromCaptionsError, fromSourceError, STEP_DIED, STUCK } from "../../assets/asset-error.ts";
import { sourceRetryDelayMs } from "../../sources/retry-schedule.ts";
import { SourceError } from "../../sources/source-errors.ts";
import { generateCaptions } from "./generate-captions.ts";
import { endTrack } from "./preparation.ts";
import type { AssetComponents } from "../core/components.ts";
import { prepareSound } from "./prepare-sound.ts";
import { prepareSubtitles } from "./prepare-subtitles.ts";
import { translateCaptions } from "./translate-captions.ts";
import { purgeTrack } from "./purge-track.ts";
import type { PendingTrack, TrackStore } from "../core/track-store.ts";
import { type DispatchContext, dispatchJobs } from "../../encoding/dispatcher.ts";
import { isCaptionsJob, requestOfJob, trackOfJob } from "../../encoding/job-spec.ts";
import type { JobRow, JobStore } from "../../encoding/job-store.ts";
import { losePictures, picturesContext } from "../insights/pictures-job.ts";
import { combineCaptions, dropCaptions } from "./captions-job.ts";

/** A deployment may kill a step; three times in a row, the step itself is the cause. */
const MAX_STEP_DEATHS = 3;
/** No step is begun later: captions of several sounds, each of which may take four minutes, would outlast an alarm, which has fifteen. */
const MOST_MS = 5 * 60_000;
/** Until a job is offered to the encoder again. */
const QUEUED_RETRY_MS = 1000;

/** Takes the steps of the added tracks that are due, and dispatches their jobs. */
export async function prepareTracks(machine: AssetComponents): Promise<void> {
  const { state, timers, tracks } = machine;
  if (state.status === "deleted") return;
  const due = stepsOf(tracks).filter(({ dueMs }) => dueMs <= machine.clock());
  const untilMs = machine.clock() + MOST_MS;
  for (const track of due.toSorted((a, b) => a.dueMs - b.dueMs))
    if (machine.clock() < untilMs) await takeStep(machine, track);
  const againAtMs = await dispatchTrackJobs(machine);
  if (state.status !== "errored") await combineCaptions(machine);
  await machine.outbox.drain();
  // Calls that arrived meanwhile could not bring the timer forward, because it was due already.
  const queuedAtMs = machine.trackJobs.queued(1).length > 0 ? machine.clock() + QUEUED_RETRY_MS : Infinity;
  const nextMs = Math.min(againAtMs, queuedAtMs, ...stepsOf(tracks).map(({ dueMs }) => dueMs));
  if (Number.isFinite(nextMs)) timers.schedule("tracks", nextMs);
}

/** Tracks in encoding wait for their jobs instead. */
const stepsOf = (tracks: TrackStore) => tracks.all().filter(({ step }) => step !== "encoding");

async function takeStep(machine: AssetComponents, track: PendingTrack): Promise<void> {
  if (track.step === "removing" || track.step === "removed") return await purgeTrack(machine, track);
  if (!(await beginStep(machine, track))) return endTrack(machine, track.id, STEP_DIED);
  try {
    await stepOf(track)(machine, track);
  } catch (error) {
    if (error instanceof CaptionsError) endTrack(machine, track.id, fromCaptionsError(error));
    else if (error instanceof SourceError) onSourceError(machine, track, error);
    else throw error;
  } finally {
    machine.tracks.change(track.id, { starts: 0 });
  }
}

function stepOf({ kind, generated }: PendingTrack): (machine: AssetComponents, track: PendingTrack) => Promise<void> {
  if (generated?.translatedFrom !== undefined) return translateCaptions;
  if (generated) return generateCaptions;
  return kind === "subtitle" ? prepareSubtitles : prepareSound;
}

/** Stores that a step begins, before it begins: a step that kills the process leaves no other trace. */
async function beginStep({ id, ctx, tracks }: AssetComponents, track: PendingTrack): Promise<boolean> {
  if (track.starts > 0) logError("track.step_died", { assetId: id, trackId: track.id, starts: track.starts });
  if (track.starts >= MAX_STEP_DEATHS) return false;
  tracks.change(track.id, { starts: track.starts + 1 });
  await ctx.storage.sync();
  return true;
}

/** Schedules a retry when time can repair the failure; otherwise the track fails. */
function onSourceError(machine: AssetComponents, { id, sourceFailures }: PendingTrack, error: SourceError): void {
  const failures = sourceFailures + 1;
  const scale = Number(machine.env.SOURCE_RETRY_SCALE ?? "") || 1;
  const delayMs = error.retryable ? sourceRetryDelayMs(failures, error.retryAfterMs, scale) : null;
  logWarning("track.source_failed", { assetId: machine.id, trackId: id, code: error.code, failures, delayMs });
  if (delayMs === null) return endTrack(machine, id, fromSourceError(error));
  machine.tracks.change(id, { sourceFailures: failures, dueMs: machine.clock() + delayMs });
}

/**
 * Submits the jobs of added audio tracks, of moderation, and that of the source's subtitles, and takes back those whose lease has expired.
 *
 * @returns when to do so again, epoch ms
 */
async function dispatchTrackJobs(machine: AssetComponents): Promise<number> {
  const { clock, env, trackJobs, tracks } = machine;
  const contextOf = ({ id, spec }: JobRow): DispatchContext => {
    if (isCaptionsJob(id)) return machine.sourceContext;
    const ofPictures = picturesContext(machine, id, spec);
    if (ofPictures !== null) return ofPictures;
    const track = tracks.get(trackOfJob(id) ?? "");
    if (track === null) throw new Error(`the job ${id} is of no track`);
    const { assetId, publicUrl, plan } = track;
    const context = { assetId, publicUrl, clip: { startMs: 0, endMs: null }, plan: plan ?? undefined };
    if (spec.kind === "speech") return { ...context, reads: { sound: spec.sound } };
    if (spec.kind === "transcribe")
      return { ...context, reads: { piece: { rendition: spec.rendition, number: spec.piece } } };
    return context;
  };
  if (machine.state.status === "errored")
    for (const id of openJobs(trackJobs).filter(isCaptionsJob)) trackJobs.remove(id);
  while (!trackJobs.isComplete()) {
    const outcome = await dispatchJobs(env, trackJobs, contextOf, clock());
    if (!("lost" in outcome)) return outcome.againAtMs;
    if (isCaptionsJob(outcome.lost.id)) {
      dropCaptions(machine, outcome.lost.id, ENCODER_LOST.code);
      continue;
    }
    if (requestOfJob(outcome.lost.id) !== null) {
      losePictures(machine, outcome.lost.id, ENCODER_LOST);
      continue;
    }
    endTrack(machine, trackOfJob(outcome.lost.id) ?? "", ENCODER_LOST);
  }
  return Infinity;
}

/** After its last failed run: no track is prepared any more. */
export function giveUpTracks(machine: AssetComponents): void {
  for (const { id } of machine.tracks.all()) endTrack(machine, id, STUCK);
  for (const id of openJobs(machine.trackJobs).filter(isCaptionsJob)) dropCaptions(machine, id, STUCK.code);
  for (const id of openJobs(machine.trackJobs)) if (requestOfJob(id) !== null) losePictures(machine, id, STUCK);
}

/** Those that are not done. */
const openJobs = (jobs: JobStore) => [...jobs.leased(), ...jobs.queued(Number.MAX_SAFE_INTEGER)].map(({ id }) => id);
