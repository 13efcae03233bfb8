import { logError, logWarning } from "../../platform/log.ts";
import { CaptionsError } from "../../media/captions/cue.ts";
import { fromCaptionsError, fromSourceError, STEP_DIED } from "../assets/asset-error.ts";
import { sourceRetryDelayMs } from "../sources/retry-schedule.ts";
import { SourceError } from "../sources/source-errors.ts";
import { dispatchTrackJobs } from "./dispatch-track-jobs.ts";
import { endTrack } from "./end-track.ts";
import type { AssetComponents } from "./components.ts";
import { prepareSound } from "./prepare-sound.ts";
import { prepareSubtitles } from "./prepare-subtitles.ts";
import { purgeTrack } from "./purge-track.ts";
import type { PendingTrack, TrackStore } from "./track-store.ts";

/** A deployment may kill a step; three times in a row, the step itself is the cause. */
const MAX_STEP_DEATHS = 3;
/** Until a job is offered to the encoder again. */
const QUEUED_RETRY_MS = 1000;

/** Takes the steps of the added tracks that are due, and dispatches their jobs. */
export async function prepareTracks(machine: AssetComponents): Promise<void> {
  const { state, timers, tracks } = machine;
  if (state.status === "deleted") return;
  const due = stepsOf(tracks).filter(({ dueMs }) => dueMs <= machine.clock());
  for (const track of due.toSorted((a, b) => a.dueMs - b.dueMs)) await takeStep(machine, track);
  const againAtMs = await dispatchTrackJobs(machine);
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
    await (track.kind === "subtitle" ? prepareSubtitles(machine, track) : prepareSound(machine, track));
  } catch (error) {
    if (error instanceof CaptionsError) endTrack(machine, track.id, fromCaptionsError(error));
    else if (error instanceof SourceError) onSourceError(machine, track, error);
    else throw error;
  } finally {
    machine.tracks.change(track.id, { starts: 0 });
  }
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
