import { openDatabase } from "../../../platform/database.ts";
import { MEDIA_FAILED } from "../../assets/asset-error.ts";
import { findAsset } from "../../assets/repository.ts";
import { trackJobId } from "../../encoding/job-spec.ts";
import { nextCopyStep } from "../../sources/copy-to-r2.ts";
import type { AssetComponents } from "../core/components.ts";
import { endTrack } from "./preparation.ts";
import { soundFiles } from "./sound-files.ts";
import type { PendingTrack } from "../core/track-store.ts";

const STEP_MS = 5000;
/** The machine of a media in processing comes back when it is ready; this is the net under that. */
const WAIT_MS = 30_000;
/** The same for a media whose file is still to be uploaded. */
const WAIT_FOR_UPLOAD_MS = 3_600_000;

/**
 * The next step of an audio track: its file is copied to R2, and those that are mixed into it, and then an encoder probes the copy. Encoding waits
 * until the media is ready, because the track is made as long as the media.
 */
export async function prepareSound(machine: AssetComponents, track: PendingTrack): Promise<void> {
  const { id, assetId } = track;
  const { clock, env, tracks } = machine;
  const file = soundFiles(track).find(({ copy }) => copy?.done !== true);
  if (file !== undefined) {
    const source = { assetId, url: file.url, key: file.key };
    const step = await nextCopyStep(env, source, file.copy, { maxMs: STEP_MS, clock, signal: machine.copying.signal });
    return tracks.change(id, { ...file.change(step.state), sourceFailures: 0, dueMs: clock() });
  }
  const record = await findAsset(openDatabase(env.DB), null, assetId);
  if (record === null) return tracks.change(id, { dueMs: clock() + WAIT_MS }); // its deletion is on its way
  const { status, publicUrl } = record.asset;
  if (status === "errored") return endTrack(machine, id, MEDIA_FAILED);
  if (status !== "ready")
    return tracks.change(id, { dueMs: clock() + (status === "waiting" ? WAIT_FOR_UPLOAD_MS : WAIT_MS) });
  machine.commit(() => {
    if (tracks.get(id)?.step !== "fetching") return;
    tracks.change(id, { step: "encoding", publicUrl });
    machine.trackJobs.add(trackJobId(assetId, id, "probe"), { kind: "probe" });
  });
}
