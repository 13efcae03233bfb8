import type { AssetError } from "../assets/asset-error.ts";
import { logFailed } from "./log-failed.ts";
import type { AssetComponents } from "./components.ts";
import type { PendingTrack } from "./track-store.ts";

/** Ends the preparation of a track that cannot be used. Without effect on one that has left. */
export function endTrack(machine: AssetComponents, trackId: string, error: AssetError): void {
  const track = machine.tracks.get(trackId);
  if (track === null || track.step === "removing" || track.step === "removed") return;
  logFailed("track.failed", { assetId: machine.id, trackId }, error);
  machine.commit(() => {
    leave(machine, track);
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id: trackId, end: { status: "failed", error } } });
  });
  machine.timers.bringForward("outbox", machine.clock());
}

/** Part of the commit that ends a track's preparation. */
export function leave({ trackJobs, tracks }: AssetComponents, { id, assetId }: PendingTrack): void {
  tracks.remove(id);
  trackJobs.removeOf(assetId, id);
}
