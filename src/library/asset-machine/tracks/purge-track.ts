import { captionsPrefix, renditionPrefix, trackSourceKey } from "../../../platform/storage/keys.ts";
import { emptyPrefix } from "../../../platform/storage/empty-prefix.ts";
import { openDatabase } from "../../../platform/database.ts";
import { log } from "../../../platform/log.ts";
import { forgetRendition } from "../../assets/repository.ts";
import { leaseMs } from "../../encoding/dispatcher.ts";
import { encoderClient } from "../../encoding/encoder-client.ts";
import { trackOfJob } from "../../encoding/job-spec.ts";
import { abortCopy } from "../../sources/copy-to-r2.ts";
import { audioRenditionOf, speechRenditionOf } from "../../tracks/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import { unfinishedCopy } from "./sound-files.ts";
import type { PendingTrack } from "../core/track-store.ts";

/** Deletes the bytes and the rendition of a deleted track, and those of late writes one lease later. */
export async function purgeTrack(machine: AssetComponents, track: PendingTrack): Promise<void> {
  const { env, trackJobs, tracks } = machine;
  const { id, assetId } = track;
  const running = trackJobs.leased().filter((job) => trackOfJob(job.id) === id);
  await Promise.all(running.map((job) => encoderClient(env).cancel(job.id, job.attempt)));
  trackJobs.removeOf(assetId, id);
  machine.heard.remove(id);
  const copying = unfinishedCopy(track);
  if (copying !== undefined) await abortCopy(env, assetId, copying.copy, copying.key);
  // The keys of the sounds that are mixed into a track begin with its own.
  const rendition = audioRenditionOf(id);
  const prefixes = [
    trackSourceKey(assetId, id),
    captionsPrefix(assetId, id),
    renditionPrefix(assetId, rendition),
    renditionPrefix(assetId, speechRenditionOf(id)),
  ];
  for (const prefix of prefixes) await emptyPrefix(env.MEDIA, prefix);
  await forgetRendition(openDatabase(env.DB), assetId, rendition);
  if (track.step === "removed") return tracks.remove(id);
  log("track.purged", { assetId, trackId: id });
  tracks.change(id, { step: "removed", dueMs: machine.clock() + leaseMs(env) });
}
