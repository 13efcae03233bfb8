/** The 56 dimensions of views, in the order of the contract (media contract, analytics: the dimensions). */
import { CUSTOM_FIELDS, type ViewRecord } from "../views/view-record.ts";

type Valued = string | boolean | null;

/** The value of each dimension in the record of a view. */
const FIXED = {
  browser_name: (view) => view.browserName,
  browser_version: (view) => view.browserVersion,
  os_name: (view) => view.osName,
  os_version: (view) => view.osVersion,
  device_name: (view) => view.deviceName,
  device_model: (view) => view.deviceModel,
  device_type: (view) => view.deviceType,
  device_manufacturer: (view) => view.deviceManufacturer,
  player_remote_played: (view) => view.playerRemotePlayed,
  player_name: (view) => view.playerName,
  player_version: (view) => view.playerVersion,
  player_software_name: (view) => view.playerSoftwareName,
  player_software_version: (view) => view.playerSoftwareVersion,
  player_resolution: (view) => view.playerResolution,
  fp_sdk: (view) => view.fpSdk,
  fp_sdk_version: (view) => view.fpSdkVersion,
  player_autoplay_on: (view) => view.playerAutoplayOn,
  player_preload_on: (view) => view.playerPreloadOn,
  video_title: (view) => view.videoTitle,
  video_id: (view) => view.videoId,
  video_series: (view) => view.videoSeries,
  fp_playback_id: (view) => view.fpPlaybackId,
  fp_live_stream_id: (view) => view.fpLiveStreamId,
  media_id: (view) => view.mediaId,
  video_source_stream_type: (view) => view.videoSourceStreamType,
  video_source_type: (view) => view.videoSourceType,
  video_encoding_variant: (view) => view.videoEncodingVariant,
  experiment_name: (view) => view.experimentName,
  sub_property_id: (view) => view.subPropertyId,
  drm_type: (view) => view.drmType,
  asn_name: (view) => view.asnName,
  cdn: (view) => view.cdn,
  video_source_hostname: (view) => view.videoSourceHostname,
  connection_type: (view) => view.connectionType,
  view_session_id: (view) => view.viewSessionId,
  continent: (view) => view.continent,
  country: (view) => view.country,
  region: (view) => view.region,
  viewer_id: (view) => view.viewerId,
  error_code: (view) => view.errorCode,
  exit_before_video_start: (view) => view.exitBeforeVideoStart,
  view_has_ad: (view) => view.viewHasAd,
  video_startup_failed: (view) => view.videoStartupFailed,
  video_content_type: (view) => view.videoContentType,
  page_context: (view) => view.pageContext,
  playback_failed: (view) => view.viewHasError,
} satisfies Record<string, (view: ViewRecord) => Valued>;

/** Names of the dimensions, and of their columns. */
export const DIMENSIONS: readonly string[] = [...Object.keys(FIXED), ...CUSTOM_FIELDS];
const NAMES = new Set(DIMENSIONS);

export const isDimension = (name: string): boolean => NAMES.has(name);

/** Booleans are "true" and "false", as in filters. */
export const dimensionsOf = (view: ViewRecord): Record<string, string | null> =>
  Object.fromEntries([
    ...Object.entries(FIXED).map(([name, read]) => {
      const value: Valued = read(view);
      return [name, typeof value === "boolean" ? String(value) : value];
    }),
    ...CUSTOM_FIELDS.map((name) => [name, view.custom[name] ?? null]),
  ]) as Record<string, string | null>;
