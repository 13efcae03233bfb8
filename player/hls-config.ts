import type { HlsConfig } from "hls.js";

/** hls.js configuration of the hosted page, for on-demand and live playback. */
export const HLS_CONFIG: Partial<HlsConfig> = {
  capLevelToPlayerSize: false,
  maxBufferLength: 30,
  backBufferLength: 90,
  liveDurationInfinity: true, // lets the controls detect live streams
  // Our playlists have no interstitials, and their controller would seek back to the damaged media that `recover` skips.
  interstitialsController: undefined as never, // to leave it out would mean the default
  maxLiveSyncPlaybackRate: 1.1, // catches up imperceptibly after a stall
};
