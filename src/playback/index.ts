import { forgetPlayable } from "./manifests.ts";
import { forgetAssetId } from "./routes.ts";

export { PlaybackOrigin } from "./origin.ts";
export { playbackRoutes } from "./routes.ts";

/** To be called when an asset has been deleted: its playback ends at once here, and within a second in other isolates. */
export function forgetPlayback(playbackId: string): void {
  forgetPlayable(playbackId);
  forgetAssetId(playbackId);
}
