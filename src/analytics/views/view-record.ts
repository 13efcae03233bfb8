import type { EdgeFacts } from "./edge-facts.ts";
import { UUID } from "../../platform/uuid.ts";
import { type FieldValue, figureOf } from "./fields.ts";
import type { MergedView } from "./merged-view.ts";
import type { PlayedContent } from "./played-content.ts";
import { scoresOf } from "./scores.ts";
import { domainOf, hostOf } from "./source-host.ts";

/** The inputs of a view's record, apart from its events. */
export interface ViewContext {
  workspaceId: string;
  viewId: string;
  edge: EdgeFacts;
  content: PlayedContent | null;
  /** No more events are expected. */
  isFinal: boolean;
  /** Epoch ms. */
  insertedAtMs: number;
  updatedAtMs: number;
}

export type ViewRecord = ReturnType<typeof viewRecordOf>;

/**
 * The record of a view with the names of the contract (media contract, analytics: "View record"). Times are in ms, scores and ratios 0 to 1;
 * null = not known.
 */
export function viewRecordOf(merged: MergedView, context: ViewContext) {
  const { edge, content, isFinal } = context;
  const { fields, hasStarted, error } = merged;
  const { text, whole, number, flag } = readersOf(fields);
  const hasFailed = error !== null;
  const startupMs = hasStarted ? whole("view_time_to_first_frame") : null;
  const watchMs = whole("view_watch_time") ?? 0;
  const seekMs = whole("view_seek_duration");
  const seeks = whole("view_seek_count");
  const bufferMs = whole("view_rebuffer_duration") ?? 0;
  const bufferCount = whole("view_rebuffer_count") ?? 0;
  const playedMs = whole("view_total_content_playback_time");
  const perPlayed = (total: number | null) => (total !== null && playedMs ? total / playedMs : null);
  const [avgUpscaling, avgDownscaling] = [
    perPlayed(number("view_total_upscaling")),
    perPlayed(number("view_total_downscaling")),
  ];
  const maxUpscaling = number("view_max_upscale_percentage");
  const bufferRatio = watchMs > 0 ? bufferMs / watchMs : 0;
  const pageLoadTime = whole("page_load_time");
  const playerStartupMs = whole("player_startup_time");
  const [playerWidth, playerHeight] = [whole("player_width"), whole("player_height")];
  const [sourceWidth, sourceHeight] = [whole("video_source_width"), whole("video_source_height")];
  // SDKs of mobile apps state the URL alone.
  const sourceHost = text("video_source_hostname") ?? hostOf(text("video_source_url"));
  const sourceDomain = text("video_source_domain") ?? (sourceHost === null ? null : domainOf(sourceHost));
  return {
    workspaceId: context.workspaceId,
    viewId: context.viewId,
    ...scoresOf({
      hasStarted,
      hasFailed,
      startupMs,
      lengthMs: merged.lastAtMs - merged.startedAtMs,
      bufferCount,
      bufferRatio,
      avgUpscaling: avgUpscaling ?? 0,
      maxUpscaling: maxUpscaling ?? 0,
    }),
    viewStartMs: merged.startedAtMs,
    viewEndMs: merged.lastAtMs,
    insertedAtMs: context.insertedAtMs,
    updatedAtMs: context.updatedAtMs,
    isFinal,

    // the viewer and the place
    fpViewerId: text("brand_viewer_id"),
    viewerId: text("viewer_id"),
    sessionId: text("session_id"),
    viewSessionId: text("view_session_id"),
    continent: edge.continent,
    country: edge.country,
    region: edge.region,
    asnId: edge.asnId,
    asnName: edge.asnName,
    connectionType: text("viewer_connection_type"),

    // the device
    browserName: text("browser") ?? edge.browserName,
    browserVersion: text("browser_version") ?? edge.browserVersion,
    browserEngine: edge.browserEngine,
    osName: text("os_name") ?? edge.osName,
    osVersion: text("os_version") ?? edge.osVersion,
    deviceName: text("device_name") ?? edge.deviceName,
    deviceModel: text("device_model") ?? edge.deviceModel,
    deviceType: text("device_category") ?? edge.deviceType,
    deviceManufacturer: text("device_manufacturer") ?? edge.deviceManufacturer,
    userAgent: edge.userAgent,

    // the player
    playerInstanceId: text("player_instance_id"),
    playerName: text("player_name"),
    playerVersion: text("player_version"),
    playerSoftwareName: text("player_software_name"),
    playerSoftwareVersion: text("player_software_version"),
    playerWidth,
    playerHeight,
    playerResolution: playerWidth !== null && playerHeight !== null ? `${playerWidth}x${playerHeight}` : null,
    playerRemotePlayed: flag("player_remote_played"),
    playerAutoplayOn: flag("player_autoplay_on"),
    playerPreloadOn: flag("player_preload_on"),
    playerLanguage: text("player_language_code"),
    playerPoster: withoutSecrets(text("video_poster_url")),
    playerViewCount: whole("player_view_count"),
    playerInitializationTime: playerStartupMs,
    fpSdk: text("player_brand_sdk_name"),
    fpSdkVersion: text("player_brand_sdk_version"),
    fpApiVersion: text("brand_api_version"),
    usedFullScreen: merged.usedFullScreen,
    beaconDomain: text("beacon_domain") ?? "",

    // the video
    fpPlaybackId: content?.playbackId ?? null,
    fpLiveStreamId: content?.streamId ?? null,
    mediaId: content?.mediaId ?? null,
    videoId: text("video_id"),
    videoTitle: text("video_title"),
    videoSeries: text("video_series"),
    videoContentType: text("video_content_type"),
    videoProducer: text("video_producer"),
    videoLanguage: text("video_language_code"),
    videoVariantId: text("video_variant_id"),
    videoVariantName: text("video_variant_name"),
    videoEncodingVariant: text("video_encoding_variant") ?? "none",
    videoDuration: whole("video_duration"),
    drmType: text("video_drm_type") ?? "none",
    cdn: text("video_cdn") ?? text("cdn") ?? sourceDomain,
    videoSourceUrl: withoutSecrets(text("video_source_url")),
    videoSourceHostname: sourceHost,
    videoSourceDomain: sourceDomain,
    videoSourceDuration: whole("video_source_duration"),
    videoSourceStreamType: text("video_stream_type") ?? streamTypeOf(content),
    videoSourceType: text("video_source_type") ?? text("video_source_mime_type"),
    playerSourceDomain: sourceDomain,
    playerSourceWidth: sourceWidth,
    playerSourceHeight: sourceHeight,
    videoResolution: sourceWidth !== null && sourceHeight !== null ? `${sourceHeight}X${sourceWidth}` : null,
    experimentName: text("experiment_name"),
    subPropertyId: text("sub_property_id"),
    pageContext: text("page_context"),
    viewPageUrl: withoutSecrets(text("page_url")),
    custom: Object.fromEntries(
      CUSTOM_FIELDS.flatMap((field) => (text(field) === null ? [] : [[field, text(field)!]])),
    ) as Record<string, string>,

    // how it went
    watchTime: watchMs,
    // Until the first picture is shown, all the time is startup.
    viewPlayingTime: hasStarted ? Math.max(0, watchMs - (startupMs ?? 0) - (seekMs ?? 0) - bufferMs) : 0,
    videoStartupTime: startupMs,
    pageLoadTime,
    totalStartupTime: startupMs === null ? null : (pageLoadTime ?? 0) + (playerStartupMs ?? 0) + startupMs,
    bufferCount,
    bufferFill: bufferMs,
    bufferRatio,
    bufferFrequency: watchMs > 0 ? bufferCount / watchMs : 0,
    averageBitrate: merged.averageBitrateBps,
    avgUpscaling,
    avgDownscaling,
    maxUpscaling,
    maxDownscaling: number("view_max_downscale_percentage"),
    viewSeekedCount: seeks,
    viewSeekedDuration: seekMs,
    jumpLatency: seeks !== null && seeks > 0 ? (seekMs ?? 0) / seeks : null,
    viewMaxPlayheadPosition: whole("view_max_playhead_position"),
    viewTotalContentPlaybackTime: playedMs,
    avgRequestLatency: number("view_avg_request_latency"),
    maxRequestLatency: number("view_max_request_latency"),
    avgRequestThroughput: number("view_avg_request_throughput"),
    droppedFrameCount: whole("view_dropped_frame_count"),
    liveStreamLatency: content?.mediaId == null ? whole("live_stream_latency") : null,
    viewHasAd: false,
    viewHasError: hasFailed,
    videoStartupFailed: hasFailed && !hasStarted,
    exitBeforeVideoStart: isFinal && !hasFailed && !hasStarted,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    errorContext: error?.context ?? null,
  };
}

/** The integrator's custom dimensions. */
export const CUSTOM_FIELDS = Array.from({ length: 10 }, (_, index) => `custom_${index + 1}`);

function readersOf(fields: Record<string, FieldValue>) {
  const number = (field: string): number | null => figureOf(fields[field]);
  return {
    number,
    text: (field: string): string | null => {
      const value = fields[field];
      return value === undefined || value === "" ? null : String(value);
    },
    whole: (field: string): number | null => {
      const value = number(field);
      return value === null ? null : Math.round(value);
    },
    flag: (field: string): boolean => fields[field] === true,
  };
}

/** A permit of private playback, which stands behind the playback ID. */
const PERMIT = new RegExp(`(/${UUID})~[^/.]+`, "gi");

/** Removes the query, which may contain a token, and a permit. */
const withoutSecrets = (address: string | null): string | null =>
  address?.replace(/[?#].*$/s, "").replaceAll(PERMIT, "$1") ?? null;

function streamTypeOf(content: PlayedContent | null): string | null {
  if (content === null) return null;
  return content.streamId === null ? "on-demand" : "live";
}
