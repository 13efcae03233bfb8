/** Example records of the API, by component of the OpenAPI document. */
import type { z } from "@hono/zod-openapi";
import { VIDEO_DATA_EXAMPLES } from "./analytics/metrics/examples.ts";
import { exampleEvent } from "./events/catalogue/envelope.ts";
import { createdMedia, readyMedia } from "./events/catalogue/records.ts";
import { sampleUpload } from "./events/catalogue/upload.ts";
import { SAMPLE, SAMPLE_CREATED_AT, SAMPLE_UPDATED_AT } from "./events/catalogue/samples.ts";
import type { MediaRecord } from "./records/media.ts";
import type { PlaybackIdRecord } from "./records/playback-id.ts";
import type { RequestLogRecord } from "./events/request-log/request-log-listing.ts";
import type { DeliveryRecord, EventRecord, TestResult } from "./events/webhooks/deliveries/schemas.ts";
import type {
  CreatedWebhook,
  CreateWebhook,
  UpdateWebhook,
  WebhookRecord,
} from "./events/webhooks/endpoints/schemas.ts";
import type { ActivityRecord } from "./library/assets/to-activity.ts";
import type { CreateAsset, CreatedMedia, InputInfo, UpdateAsset } from "./library/assets/schemas.ts";
import { AI_EXAMPLES } from "./ai/examples.ts";
import { IMPORT_EXAMPLES } from "./imports/examples.ts";
import type { AddTrack } from "./library/tracks/schemas.ts";
import type { CreatePlaybackId } from "./library/playback-ids/schemas.ts";
import type { CancelledUpload, CreateUpload, UploadRecord } from "./library/uploads/schemas.ts";
import type { CreatePlaylist, ListedPlaylist, PlaylistRecord } from "./library/playlists/schemas.ts";
import type { CreateClip } from "./live/clips/schemas.ts";
import type {
  CreateStream,
  CreateTarget,
  StreamAnswer,
  StreamDetail,
  TargetRecord,
  UpdateStream,
  UpdateTarget,
} from "./live/streams/schemas.ts";

const DRM_CONFIGURATION_ID = "e3dfdf15-16bb-8835-98b9-484c1e4320cc";
const FILM = "https://example.com/film.mp4";
const createUpload: z.input<typeof CreateUpload> = {
  corsOrigin: "https://app.example.com",
  pushMediaSettings: { accessPolicy: "public", title: "Harbour at dawn", metadata: { campaign: "spring" } },
};
const { pushMediaSettings, ...upload } = sampleUpload("waiting");
const uploadRecord: z.output<typeof UploadRecord> = {
  ...upload,
  id: upload.uploadId,
  mediaId: upload.uploadId,
  status: "waiting",
  pushMediaSettings: {
    ...pushMediaSettings,
    playbackIds: pushMediaSettings.playbackIds.map(({ accessPolicy, accessRestrictions }) => ({
      accessPolicy,
      accessRestrictions,
    })),
    title: "Harbour at dawn",
    maxResolution: "1080p",
  },
};
const { uploadId, trial, url, timeout, corsOrigin } = upload;
const cancelledUpload: z.output<typeof CancelledUpload> = {
  uploadId,
  trial,
  status: "cancelled",
  url,
  timeout,
  corsOrigin,
  maxResolution: "1080p",
  accessPolicy: "public",
  metadata: { campaign: "spring" },
  title: "Harbour at dawn",
};
const media: z.output<typeof MediaRecord> = {
  ...readyMedia(),
  progress: { percent: 100, stage: "encoding", renditions: [{ name: "v1080", percent: 100 }], speed: 3.2 },
};
const created = createdMedia();
const createdRecord: z.output<typeof CreatedMedia> = {
  id: created.id,
  trial: false,
  status: "Created",
  createdAt: created.createdAt,
  updatedAt: created.updatedAt,
  playbackIds: created.playbackIds,
  metadata: created.metadata,
  title: "Harbour at dawn",
  mediaQuality: "standard",
  sourceAccess: false,
  maxResolution: "1080p",
  inputs: [{ type: "video", url: FILM }],
  optimizeAudio: false,
};
const createMedia: z.input<typeof CreateAsset> = {
  inputs: [{ type: "video", url: FILM }],
  accessPolicy: "public",
  title: "Harbour at dawn",
  metadata: { campaign: "spring" },
};
const domainRules = { defaultPolicy: "deny" as const, allow: ["example.com", "*.example.com"], deny: [] };
const [playbackId] = createdRecord.playbackIds as [z.output<typeof PlaybackIdRecord>];
const addTrack: z.input<typeof AddTrack>["tracks"] = {
  url: "https://example.com/film.it.srt",
  type: "subtitle",
  languageCode: "it",
  languageName: "Italian",
};
const createPlaybackId: z.input<typeof CreatePlaybackId> = {
  accessPolicy: "private",
  accessRestrictions: { domains: domainRules },
  resolution: "720p",
};
const updateMedia: z.input<typeof UpdateAsset> = { title: "Harbour at dusk", metadata: { campaign: "autumn" } };
const inputInfo: z.output<typeof InputInfo> = {
  configuration: { url: FILM },
  file: { containerFormat: "mov,mp4,m4a,3gp,3g2,mj2", tracks: media.tracks },
};

const streamKey = `5be2071fa98c4d36b07e1fd52c94a680k${SAMPLE.streamId}`;
const srtSecret = `90c7d3e61b5f4a82ae04f8c16d2b7359k${SAMPLE.streamId}`;
const stream: z.output<typeof StreamAnswer> = {
  streamId: SAMPLE.streamId,
  streamKey,
  srtSecret,
  trial: false,
  status: "idle",
  maxResolution: "1080p",
  maxDuration: 0,
  createdAt: SAMPLE_CREATED_AT,
  reconnectWindow: 60,
  enableRecording: true,
  enableDvrMode: true,
  allowViewerClips: false,
  mediaPolicy: "public",
  metadata: { show: "harbour" },
  latencyMode: "low",
  lowLatency: true,
  closedCaptions: false,
  playbackIds: [{ id: SAMPLE.playbackId, accessPolicy: "public" }],
  ingestWarnings: [],
  ingest: {
    rtmp: `rtmp://live.example.com:1935/live/${streamKey}`,
    srt: `srt://live.example.com:8890?streamid=${streamKey}&passphrase=${srtSecret}`,
    http: `https://video.example.com/ingest/${streamKey}`,
  },
};
const target: z.output<typeof TargetRecord> = {
  simulcastId: SAMPLE.simulcastId,
  url: "rtmps://ingest.example.com:443/live",
  streamKey: "made-up-key-of-the-other-platform",
  isEnabled: true,
  state: "idle",
};
const streamDetail: z.output<typeof StreamDetail> = {
  ...stream,
  simulcastResponses: [target],
  mediaIds: [SAMPLE.mediaId],
};
const createStream: z.input<typeof CreateStream> = {
  playbackSettings: { accessPolicy: "public" },
  inputMediaSettings: { latencyMode: "low", enableDvrMode: true, metadata: { show: "harbour" } },
};
const updateStream: z.input<typeof UpdateStream> = { reconnectWindow: 120 };
const createTarget: z.input<typeof CreateTarget> = { url: target.url, streamKey: target.streamKey };
const updateTarget: z.input<typeof UpdateTarget> = { isEnabled: false };
const createClip: z.input<typeof CreateClip> = { startTime: 10, endTime: 40 };

const createWebhook: z.input<typeof CreateWebhook> = {
  url: "https://app.example.com/hooks/video",
  eventTypes: ["asset.*", "live_stream.*"],
};
const updateWebhook: z.input<typeof UpdateWebhook> = { enabled: true };
const webhook: z.output<typeof WebhookRecord> = {
  id: SAMPLE.webhookId,
  url: createWebhook.url,
  eventTypes: ["asset.*", "live_stream.*"],
  naming: "service",
  events: { secrets: false },
  enabled: true,
  status: "active",
  lastDelivery: { at: SAMPLE_UPDATED_AT, status: 200, failure: null },
  createdAt: SAMPLE_CREATED_AT,
  updatedAt: SAMPLE_CREATED_AT,
};
const createdWebhook: z.output<typeof CreatedWebhook> = {
  ...webhook,
  secret: "c2FtcGxlIHNlY3JldCwgdGhpcnR5LXR3byBieXRlcyE=",
};
const attempt = { number: 1, at: SAMPLE_UPDATED_AT, durationMs: 31, status: 200, failure: null, responseHead: "ok" };
const delivery: z.output<typeof DeliveryRecord> = {
  eventId: SAMPLE.eventId,
  type: "asset.ready",
  isTest: false,
  status: "delivered",
  attempts: [attempt],
  createdAt: SAMPLE_UPDATED_AT,
  finishedAt: SAMPLE_UPDATED_AT,
};
const eventDelivery = { ...delivery, webhookId: SAMPLE.webhookId, url: webhook.url };
const event = exampleEvent("asset.ready");
const names = { type: "asset.ready", videoType: "video.media.ready" };
const eventRecord: z.output<typeof EventRecord> = { event, ...names, isTest: false, deliveries: [eventDelivery] };
const testResult: z.output<typeof TestResult> = {
  eventId: SAMPLE.eventId,
  type: "asset.ready",
  delivered: true,
  attempt,
};
const requestLog: z.output<typeof RequestLogRecord> = {
  id: SAMPLE.exhaustedEventId,
  at: SAMPLE_CREATED_AT,
  method: "POST",
  route: "/v1/on-demand",
  status: 201,
  durationMs: 18,
  requestId: "9b1d3f0c-52ea-4f67-b1c8-0e7a9d2c6b45",
  credentialId: "5d8e2c10-7f4b-49a3-8c56-b2f90e1d7a68",
  resourceIds: [SAMPLE.mediaId],
};
const activity: z.output<typeof ActivityRecord> = { kind: "event", at: event.createdAt, ...names, event };

const createPlaylist: z.input<typeof CreatePlaylist> = {
  name: "Trailers of May",
  referenceId: "trailers-05",
  type: "smart",
  playOrder: "createdDate DESC",
  metadata: { createdDate: { startDate: "2026-05-01", endDate: "2026-05-31" } },
};
const listedPlaylist: z.output<typeof ListedPlaylist> = {
  id: "5e0d1c72-4a9b-4f36-8d21-b7c6e5a4f380",
  name: createPlaylist.name,
  type: "smart",
  referenceId: createPlaylist.referenceId,
  createdAt: SAMPLE_CREATED_AT,
  mediaCount: 1,
};
const playlist: z.output<typeof PlaylistRecord> = {
  ...listedPlaylist,
  type: "smart",
  workspaceId: SAMPLE.workspaceId,
  playOrder: "createdDate DESC",
  metadata: { createdDate: { startDate: "2026-05-01", endDate: "2026-05-31" } },
  mediaList: [
    {
      thumbnail: media.thumbnail,
      id: media.id,
      title: "Harbour at dawn",
      status: "Ready",
      duration: "00:02:04",
      sourceResolution: "1080p",
      createdAt: media.createdAt,
    },
  ],
  updatedAt: SAMPLE_UPDATED_AT,
};
const PRIVATE_KEY = "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2…LS0tLS1FTkQgUFJJVkFURSBLRVktLS0tLQo=";
const PUBLIC_KEY = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq…\n-----END PUBLIC KEY-----\n";
const TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImE3ZDNm…";
const SIGNING_KEY_ID = "a7d3f1c4-5b28-4e90-96c1-0f8e2d7b4a35";

export const API_EXAMPLES: Record<string, unknown> = {
  Media: media,
  CreatedMedia: createdRecord,
  CreateMedia: createMedia,
  UpdateMedia: updateMedia,
  UpdateMp4Support: { mp4Support: "capped_4k" },
  UpdateSourceAccess: { sourceAccess: true },
  CreateUpload: createUpload,
  PushMediaSettings: createUpload.pushMediaSettings,
  Upload: uploadRecord,
  UploadState: { ...uploadRecord, receivedBytes: 33_554_432, totalBytes: 184_549_376 },
  CancelledUpload: cancelledUpload,
  InputInfo: inputInfo,
  Activity: activity,
  Stream: stream,
  StreamDetail: streamDetail,
  SimulcastTarget: target,
  CreateStream: createStream,
  UpdateStream: updateStream,
  CreateSimulcastTarget: createTarget,
  UpdateSimulcastTarget: updateTarget,
  CreateLiveClip: createClip,
  AddTrack: { tracks: addTrack },
  GenerateSubtitles: { languageCode: "en-US", languageName: "English", vocabulary: ["Sluice"] },
  CaptionVersion: { version: 2, cueCount: 214, createdAt: SAMPLE_UPDATED_AT, isCurrent: true },
  UpdateTrack: { languageCode: "fr", languageName: "French" },
  AddedTrack: { id: SAMPLE.subtitleTrackId, ...addTrack },
  CreatePlaybackId: createPlaybackId,
  CreatedPlaybackId: { ...playbackId, accessPolicy: "private", resolution: "720p" },
  PlaybackId: playbackId,
  AccessRules: domainRules,
  UpdateDomainRules: domainRules,
  UpdateUserAgentRules: { defaultPolicy: "allow", allow: [], deny: ["Scraper/"] },
  CreateDrmConfiguration: { keySystems: ["clearkey"] },
  CreatedDrmConfiguration: {
    id: DRM_CONFIGURATION_ID,
    keySystems: ["clearkey"],
    createdAt: SAMPLE_CREATED_AT,
  },
  DrmConfiguration: { id: DRM_CONFIGURATION_ID },
  ClearKeyRequest: { kids: ["DzscLU5fSmuMfZ4PGis8TQ"], type: "temporary" },
  ClearKeyLicense: {
    keys: [{ kty: "oct", kid: "DzscLU5fSmuMfZ4PGis8TQ", k: "c2l4dGVlbiBieXRlcyEh" }],
    type: "temporary",
  },
  CreatePlaybackToken: { playbackId: SAMPLE.playbackId, expiresIn: 3600 },
  PlaybackToken: {
    token: TOKEN,
    playbackId: SAMPLE.playbackId,
    signingKeyId: SIGNING_KEY_ID,
    expiresAt: SAMPLE_UPDATED_AT,
  },
  CreateLivePlaybackId: { accessPolicy: "public" },
  LivePlaybackId: stream.playbackIds[0],
  Webhook: webhook,
  CreatedWebhook: createdWebhook,
  CreateWebhook: createWebhook,
  UpdateWebhook: updateWebhook,
  TestWebhook: { type: "asset.ready" },
  RecoverWebhook: { since: SAMPLE_CREATED_AT },
  RedeliverEvent: { webhookId: SAMPLE.webhookId },
  WebhookTest: testResult,
  Delivery: delivery,
  EventRecord: eventRecord,
  Event: event,
  RequestLog: requestLog,
  CreatePlaylist: createPlaylist,
  UpdatePlaylist: { name: "Trailers", description: "The newest first" },
  PlaylistMediaIds: { mediaIds: [media.id] },
  Playlist: playlist,
  ListedPlaylist: listedPlaylist,
  CreatedSigningKey: { id: SIGNING_KEY_ID, privateKey: PRIVATE_KEY, createdAt: SAMPLE_CREATED_AT },
  ListedSigningKey: { id: SIGNING_KEY_ID, createdAt: SAMPLE_CREATED_AT },
  RevokedSigningKey: { message: "signing key is revoked" },
  SigningKey: { workspaceId: SAMPLE.workspaceId, signingKeyId: SIGNING_KEY_ID, publicKey: PUBLIC_KEY },
  ...AI_EXAMPLES,
  ...IMPORT_EXAMPLES,
  ...VIDEO_DATA_EXAMPLES,
  Pagination: { totalRecords: 1, currentOffset: 1, offsetCount: 1 },
  CursorPagination: { limit: 25, nextCursor: null },
};
