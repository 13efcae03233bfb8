import type { HlsConfig } from "hls.js";

/** How the hosted page plays, on demand and live. */
export const HLS_CONFIG: Partial<HlsConfig> = {
  capLevelToPlayerSize: false,
  maxBufferLength: 30,
  backBufferLength: 90,
  liveDurationInfinity: true, // so that the controls know live from on demand
  maxLiveSyncPlaybackRate: 1.1, // what was lost by a slow moment is caught up unnoticed
};
