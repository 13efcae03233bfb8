/**
 * Tests every operation of the OpenAPI document with two workspaces: neither can read or change the other's data.
 * A new operation or path parameter fails this test until it is described here.
 */
import { indexed } from "../ai/search/search-helpers.ts";
import { differences } from "../../support/differences.ts";
import { storeView } from "../analytics/beacon-helpers.ts";
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { type NewRecording, openRecording } from "../../../src/library/assets/index.ts";
import { UNRESTRICTED } from "../../../src/tenancy/access/index.ts";
import { commit, openDatabase } from "../../../src/platform/database.ts";
import { events } from "../../../src/events/index.ts";
import { apiDocument } from "../../../src/api-document.ts";
import { createApp } from "../../../src/app.ts";
import { newHexId } from "../../../src/live/streams/ids.ts";
import { viewExports } from "../../../src/analytics/exports/tables.ts";
import { signingKeys } from "../../../src/tenancy/signing-keys/tables.ts";
import { deliveries, deliveryAttempts } from "../../../src/events/webhooks/records/tables.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../workspace.ts";

const db = openDatabase(env.DB);
const app = createApp();
const WAIT = { timeout: 20_000, interval: 20 };
const PUBLIC_ROUTES = new Set(["/v1/openapi.json", "/v1/reference", "/v1/reference/"]);

/** Ids in the form of a workspace's ids, to which nothing belongs. */
const someIds = () => ({
  mediaId: crypto.randomUUID(),
  trackId: crypto.randomUUID(),
  soundId: crypto.randomUUID(), // the track that captions are made of
  uploadId: crypto.randomUUID(),
  webhookId: crypto.randomUUID(),
  eventId: crypto.randomUUID(),
  streamId: newHexId(),
  livestreamId: newHexId(), // another name of `streamId`
  playbackId: crypto.randomUUID(), // of the stream; below a media, `mediaPlaybackId` is meant
  mediaPlaybackId: crypto.randomUUID(),
  simulcastId: newHexId(),
  playlistId: crypto.randomUUID(),
  signingKeyId: crypto.randomUUID(),
  exportId: crypto.randomUUID(),
  alertId: crypto.randomUUID(),
  viewId: crypto.randomUUID(),
  viewerId: crypto.randomUUID(),
  metricId: "views", // a name, as the next
  dimensionsId: "video_title",
  drmConfigurationId: crypto.randomUUID(),
  version: "1", // a number
  importId: crypto.randomUUID(),
  listId: crypto.randomUUID(),
  credentialId: crypto.randomUUID(), // of a source of migrations
  host: `${crypto.randomUUID()}.example.com`,
});
type Ids = { [Name in keyof ReturnType<typeof someIds>]: string };

interface Call {
  /** With ids of another workspace, or unknown ids. */
  body?: (theirs: Ids) => unknown;
  /** Queries with ids of another workspace. */
  queries?: (theirs: Ids) => string[];
  /** A required query. */
  query?: (theirs: Ids) => string;
  /** The status for unknown ids; default: 404. */
  nothing?: number;
  /** The status for the owner; default: 200. */
  opens?: number;
  /** The owner's ids in place of the tenant's, of records that the operation accepts. */
  opensWith?: (owner: Tenant) => Promise<Partial<Ids>>;
  /** The path below which a created record is read; default: the operation's own path. */
  madeAt?: string;
  /** Its pages have cursors. */
  isPaged?: true;
  /** What has to be done until its answers have what the workspaces have. */
  prepare?: (workspaces: TestWorkspace[]) => Promise<void>;
}

const TRACK = { url: "http://127.0.0.1:9/a.srt", type: "subtitle", languageCode: "it", languageName: "Italian" };
const SOUND = { url: "http://127.0.0.1:9/a.m4a", type: "audio", languageCode: "it", languageName: "Italian" };
const UPLOAD = { corsOrigin: "*" };
const STREAM = { playbackSettings: {}, inputMediaSettings: {} };
const TARGET = { url: "rtmp://127.0.0.1/b", streamKey: "b" };
const ALERT = { name: "b", metric: "error_rate", thresholdValue: 0.1 };
const S3 = { bucket: "films", endpoint: "https://127.0.0.1:9" }; // nobody answers there
const S3_CREDENTIAL = {
  source: "s3",
  credentials: { accessKeyId: "AKIDOFNOBODYATALL", secretAccessKey: "no secret" },
  keep: true,
};
/** A dry run whose items have no address to fetch from: once it is scanned, nothing changes it. */
const IMPORT = {
  source: { type: "list", items: ["a", "b"].map((id) => ({ id, url: "ftp://cdn.test/a.mp4" })) },
  dryRun: true,
};
const HOUR_AGO = new Date(Date.now() - 3600_000).toISOString();

/** The same in each request: answers repeat it. */
const SPAN = `timespan[]=${Math.floor(Date.now() / 1000) - 3600}&timespan[]=${Math.floor(Date.now() / 1000) + 3600}`;

const CALLS: Record<string, Call> = {
  "create-media": { body: () => videoFrom("http://127.0.0.1:9/b.mp4") },
  "list-media": { queries: () => ["limit=50", "limit=50&orderBy=asc"] },
  "get-media": {},
  "updated-media": { body: () => ({ title: "mine now" }) },
  "updated-mp4Support": { body: () => ({ mp4Support: "capped_4k" }) },
  "updated-source-access": { body: () => ({ sourceAccess: true }) },
  "delete-media": {},
  retrieveMediaInputInfo: {},
  "Add-media-track": { body: () => ({ tracks: { ...TRACK, languageName: "Another" } }), opens: 201 },
  "Generate-subtitle-track": { body: () => ({ languageCode: "fr-FR", languageName: "Mine too" }), opens: 200 },
  "translate-subtitle-track": { body: () => ({ languageCode: "fr" }), opens: 400 }, // the track is not available
  // A text is that of a track that is available, which these are not.
  "get-subtitle-text": { opens: 400 },
  "replace-subtitle-text": { opens: 400 },
  "list-subtitle-versions": { opens: 400 },
  "restore-subtitle-version": { opens: 400 },
  "update-media-summary": { body: () => ({ generate: true }) },
  "get-media-summary": { opens: 400 }, // none was asked for
  "update-media-chapters": { body: () => ({ chapters: true }) },
  "update-media-named-entities": { body: () => ({ namedEntities: true }) },
  "search-media": {
    isPaged: true,
    query: () => "q=film",
    queries: ({ viewerId }) => [`q=${viewerId}`], // which is in their titles
    prepare: (workspaces) => indexed(...workspaces),
  },
  "update-media-moderation": { body: () => ({ moderation: { type: "audio" } }) },
  "clear-media-moderation": {},
  "get-media-moderation-thumbnail": { opens: 400 }, // the media has no picture yet
  "get-ai-usage": {},
  "get-ai-settings": {},
  "update-ai-settings": { body: () => ({ vocabulary: ["mine"] }) },
  "update-media-track": { body: () => ({ languageCode: "fr", languageName: "Mine" }) },
  "delete-media-track": {},
  "create-media-playback-id": { body: () => ({ accessPolicy: "private" }), opens: 201 },
  "list-playback-ids": {},
  "get-playback-id": {},
  "delete-media-playback-id": { query: ({ playbackId }) => `playbackId=${playbackId}` },
  "update-domain-restrictions": { body: () => ({ defaultPolicy: "deny" }) },
  "update-user-agent-restrictions": { body: () => ({ defaultPolicy: "deny" }) },
  "get-media-clips": {},
  "direct-upload-video-media": { body: () => UPLOAD },
  "create-upload": { body: () => UPLOAD, madeAt: "/v1/on-demand/upload" },
  "get-upload": {},
  "list-uploads": { queries: () => ["limit=50", "limit=50&orderBy=asc"] },
  "cancel-upload": {},
  "verify-basic": {},
  "get-limits": {},
  "list-media-activity": { isPaged: true },
  "list-live-clips": { nothing: 200 },
  "list-event-types": {},
  "list-events": {
    isPaged: true,
    queries: ({ mediaId, eventId, webhookId }) => [
      "limit=100",
      `objectId=${mediaId}`,
      `objectId=${mediaId}&type=asset.created&naming=video`,
      `objectId=${eventId}`,
      `objectId=${webhookId}`,
      `from=${HOUR_AGO}`,
    ],
  },
  "get-event": {},
  "redeliver-event": { body: ({ webhookId }) => ({ webhookId }) },
  "list-request-logs": {
    isPaged: true,
    queries: ({ mediaId, eventId, webhookId }) => [
      "limit=100",
      `resourceId=${mediaId}`,
      `resourceId=${webhookId}`,
      `resourceId=${eventId}`,
      "status=2xx&method=POST",
    ],
  },
  "create-webhook": { body: () => ({ url: "http://127.0.0.1:9000/b", skipVerification: true, enabled: false }) },
  "list-webhooks": { queries: () => ["limit=50", "limit=50&orderBy=asc"] },
  "get-webhook": {},
  "update-webhook": { body: () => ({ description: "mine now" }) },
  "delete-webhook": {},
  "reveal-webhook-secret": {},
  "rotate-webhook-secret": {},
  "test-webhook": { body: () => ({ type: "asset.ready" }) },
  "recover-webhook": { body: () => ({ since: HOUR_AGO }) },
  "list-webhook-deliveries": { isPaged: true },
  "create-new-stream": { body: () => STREAM },
  "create-live-stream": { body: () => STREAM, madeAt: "/v1/live/streams" },
  "get-all-streams": { queries: () => ["limit=50", "limit=50&orderBy=asc"] },
  "get-live-stream-by-id": {},
  "update-live-stream": { body: () => ({ metadata: { whose: "mine now" } }) },
  "delete-live-stream": {},
  "get-live-stream-viewer-count-by-id": {},
  "enable-live-stream": { opens: 400 }, // the stream is enabled
  "disable-live-stream": {},
  "complete-live-stream": { opens: 400 }, // it is not active
  "rotate-live-stream-key": {},
  "create-live-clip": { body: () => ({ startTime: 0, endTime: 2 }), opens: 400 }, // it has not been on air
  "create-playbackId-of-stream": { body: () => ({}), opens: 201 },
  "get-live-stream-playback-id": {},
  "update-live-domain-restrictions": { body: () => ({ defaultPolicy: "deny" }) },
  "update-live-user-agent-restrictions": { body: () => ({ defaultPolicy: "deny" }) },
  "delete-playbackId-of-stream": { query: ({ playbackId }) => `playbackId=${playbackId}` },
  "create-simulcast-of-stream": { body: () => TARGET, opens: 201 },
  "get-specific-simulcast-of-stream": {},
  "update-specific-simulcast-of-stream": { body: () => ({ isEnabled: false }) },
  "delete-simulcast-of-stream": {},
  "create-a-playlist": { body: () => ({ name: "b", referenceId: "b", type: "manual" }) },
  "get-all-playlists": { queries: () => ["limit=50"] },
  "get-playlist-by-id": {},
  "update-a-playlist": { body: () => ({ name: "mine now", description: "mine now" }) },
  "delete-a-playlist": {},
  "add-media-to-playlist": { body: ({ mediaId }) => ({ mediaIds: [mediaId] }) },
  "change-media-order-in-playlist": { body: ({ mediaId }) => ({ mediaIds: [mediaId] }) },
  "delete-media-from-playlist": { body: ({ mediaId }) => ({ mediaIds: [mediaId] }) },
  create_signing_key: {},
  list_signing_keys: { queries: () => ["limit=50"] },
  "get-signing_key_by_id": {},
  delete_signing_key: {},
  create_view_export: { body: () => ({}) },
  list_view_exports: { queries: () => ["limit=50"] },
  delete_view_export: {},
  list_video_views: { queries: () => ["limit=50", "limit=50&sortOrder=desc"] },
  get_video_view_details: {},
  forget_viewer: { nothing: 200 },
  list_by_top_content: { queries: () => ["limit=50"] },
  list_dimensions: {},
  list_filter_values_for_dimension: { nothing: 200, query: () => SPAN },
  list_overall_values: { nothing: 200, query: () => SPAN },
  list_breakdown_values: { nothing: 200, query: () => `${SPAN}&groupBy=video_title` },
  get_timeseries_data: { nothing: 200, query: () => `${SPAN}&groupBy=hour` },
  list_comparison_values: {},
  list_refused_reports: {},
  get_media_engagement: {},
  get_stream_engagement: {},
  get_viewers_now: {},
  get_current_views_timeseries: {},
  filter_current_views: { queries: () => ["dimension=video_title&limit=50"] },
  create_alert: { body: () => ALERT },
  list_alerts: { queries: () => ["limit=50"] },
  get_alert: {},
  update_alert: { body: () => ({ name: "mine now" }) },
  delete_alert: {},
  list_errors: { queries: () => ["limit=50"] },
  getDrmConfiguration: { queries: () => ["limit=50"] },
  getDrmConfigurationById: {},
  "create-drm-configuration": { body: () => ({ keySystems: ["clearkey"] }) },
  // Licences are for viewers, who have tokens and no credentials; the tenants' media is clear.
  ...Object.fromEntries(
    ["clearkey-license", "widevine-license", "fairplay-license", "fairplay-certificate"].flatMap((name) =>
      [name, `${name}-live`].map((id) => [id, { opens: 404 }]),
    ),
  ),
  "create-playback-token": { body: ({ playbackId }) => ({ playbackId }) },
  "create-import": { body: () => IMPORT },
  "list-imports": { isPaged: true, queries: () => ["limit=50"] },
  "get-import": {},
  "list-import-items": { isPaged: true },
  "start-import": {},
  "pause-import": { opensWith: scanningImport },
  "resume-import": { body: ({ credentialId }) => ({ credentialId }), opensWith: pausedImport },
  "cancel-import": {},
  "retry-import": { body: () => ({ items: ["a"] }), opensWith: endedImport },
  "get-import-report": {},
  "get-import-map-json": {},
  "get-import-map-ndjson": {},
  "get-import-map-csv": {},
  "create-import-list": { body: () => [{ url: "http://127.0.0.1:9/b.mp4" }] },
  "get-import-list": {},
  "delete-import-list": {},
  "create-import-credential": { body: () => S3_CREDENTIAL },
  "list-import-credentials": { queries: () => ["limit=50"] },
  "get-import-credential": {},
  "check-import-credential": { body: () => ({ options: S3 }) },
  "delete-import-credential": {},
  "put-import-host": {}, // has a test of its own: that a host is taken is said
  "list-import-hosts": {},
  "delete-import-host": {},
};

/** @returns the batch when it has come to this state */
async function importAt({ workspace }: Tenant, id: string, status: string): Promise<{ importId: string }> {
  await vi.waitUntil(async () => {
    const answer = await workspace.request("GET", `/v1/imports/${id}`);
    return (await answer.json<{ data: { status: string } }>()).data.status === status;
  }, WAIT);
  return { importId: id };
}

/** A batch of a source that nobody answers for, so that its scan does not end. */
async function scanningImport(owner: Tenant): Promise<{ importId: string }> {
  const { workspace, ids } = owner;
  const body = { source: { type: "s3", ...S3 }, credentialId: ids.credentialId };
  const answer = await workspace.request("POST", "/v1/imports", body);
  return await importAt(owner, (await answer.json<MediaAnswer>()).data.id, "scanning");
}

/** It goes on with other credentials than before. */
async function pausedImport(owner: Tenant): Promise<Partial<Ids>> {
  const { importId } = await scanningImport(owner);
  await owner.workspace.request("POST", `/v1/imports/${importId}/pause`);
  const answer = await owner.workspace.request("POST", "/v1/imports/credentials", S3_CREDENTIAL);
  const { credentialId } = (await answer.json<{ data: { credentialId: string } }>()).data;
  return { importId, credentialId };
}

/** All its items have failed. */
async function endedImport(owner: Tenant): Promise<{ importId: string }> {
  const answer = await owner.workspace.request("POST", "/v1/imports", { ...IMPORT, dryRun: false });
  return await importAt(owner, (await answer.json<MediaAnswer>()).data.id, "done");
}

interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: string[];
}
const operations: Operation[] = Object.entries(apiDocument(app, "http://sluice.test").paths ?? {}).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, { operationId?: string }>).map(([method, { operationId }]) => ({
      id: operationId ?? `${method} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!),
    })),
);
const items = operations.filter(({ parameters }) => parameters.length > 0);
const lists = operations.filter(({ method, parameters }) => method === "GET" && parameters.length === 0);
const creations = operations.filter(
  ({ id, method, parameters }) =>
    method !== "GET" &&
    parameters.length === 0 &&
    !["verify-basic", "create-playback-token", "create_view_export", "update-ai-settings", "put-import-host"].includes(
      id,
    ),
);

function pathOf({ id: operationId, path }: Operation, given: Ids): string {
  const ofMedia = path.startsWith("/v1/on-demand/") ? { ...given, playbackId: given.mediaPlaybackId } : given;
  const ids = operationId === "Generate-subtitle-track" ? { ...ofMedia, trackId: given.soundId } : ofMedia;
  const query = CALLS[operationId]?.query?.(ids);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = (ids as Record<string, string | undefined>)[name];
    if (id === undefined) throw new Error(`this test has no value for {${name}}`);
    return id;
  });
  return query === undefined ? filled : `${filled}?${query}`;
}

const withQuery = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

interface StreamAnswer {
  data: { streamId: string; streamKey: string; srtSecret: string; playbackIds: { id: string }[] };
}
interface Tenant {
  workspace: TestWorkspace;
  ids: Ids;
  /** Values that would be in the other workspace's answers after a leak. */
  traces: string[];
}
const IDEMPOTENCY_KEY = "the same key in both workspaces";

/** Two batches, lists, credentials of sources and hosts. */
async function newImports(workspace: TestWorkspace, mark: string) {
  const make = async (path: string, body: object, method = "POST") => {
    const answer = await workspace.request(method, path, body);
    return (await answer.json<{ data: Record<string, string> }>()).data;
  };
  const items = IMPORT.source.items.map((item) => ({ ...item, title: mark, metadata: { mark } }));
  const batch = await make("/v1/imports", { ...IMPORT, source: { type: "list", items } });
  const other = await make("/v1/imports", IMPORT);
  const list = await make("/v1/imports/lists", [{ url: `http://127.0.0.1:9/${mark}.mp4` }]);
  await make("/v1/imports/lists", [{ url: "http://127.0.0.1:9/a.mp4" }]);
  const credential = await make("/v1/imports/credentials", { ...S3_CREDENTIAL, name: mark });
  await make("/v1/imports/credentials", S3_CREDENTIAL);
  const { host } = await make("/v1/imports/hosts", { host: `${mark}.example.com`, source: "mux" }, "PUT");
  await make("/v1/imports/hosts", { host: `${crypto.randomUUID()}.example.com`, source: "mux" }, "PUT");
  const tenant = { workspace } as Tenant;
  for (const { id } of [batch, other]) await importAt(tenant, id!, "scanned");
  return {
    importId: batch["id"]!,
    listId: list["listId"]!,
    credentialId: credential["credentialId"]!,
    host: host!,
  };
}

/** A workspace with two records of each kind, so that every list has a second page. */
async function newTenant(): Promise<Tenant> {
  const workspace = await newWorkspace();
  const mark = crypto.randomUUID();
  const make = async (path: string, body: object, headers = {}) =>
    (await (await workspace.request("POST", path, body, headers)).json<MediaAnswer>()).data;
  const media = await make(
    "/v1/on-demand",
    { ...videoFrom(`http://127.0.0.1:9/${mark}.mp4`), title: `film ${mark}` },
    { "idempotency-key": IDEMPOTENCY_KEY },
  );
  await make("/v1/on-demand", { ...videoFrom("http://127.0.0.1:9/a.mp4"), title: "film" });
  const track = await make(`/v1/on-demand/${media.id}/tracks`, { tracks: { ...TRACK, title: mark } });
  const sound = await make(`/v1/on-demand/${media.id}/tracks`, { tracks: SOUND });
  const upload = await make("/v1/on-demand/upload", { ...UPLOAD, pushMediaSettings: { title: mark } });
  await make("/v1/on-demand/upload", UPLOAD);
  // Paused, so that nothing changes its record during the test.
  const url = { url: `http://127.0.0.1:9000/${mark}`, skipVerification: true, enabled: false };
  const webhook = await make("/v1/webhooks", { ...url, description: mark });
  await make("/v1/webhooks", url);
  const stream = (
    await (
      await workspace.request("POST", "/v1/live/streams", { ...STREAM, inputMediaSettings: { metadata: { mark } } })
    ).json<StreamAnswer>()
  ).data;
  await make("/v1/live/streams", STREAM);
  const target = await make(`/v1/live/streams/${stream.streamId}/simulcast`, { ...TARGET, streamKey: mark });
  const playlist = await make("/v1/on-demand/playlists", { name: mark, referenceId: mark, type: "manual" });
  await workspace.request("PATCH", `/v1/on-demand/playlists/${playlist.id}/media`, { mediaIds: [media.id] });
  await make("/v1/on-demand/playlists", { name: "a", referenceId: "a", type: "manual" });
  const configuration = await make("/v1/on-demand/drm-configurations", { keySystems: ["clearkey"] });
  const signingKeyId = crypto.randomUUID(); // not over the API, which would make a key pair for each tenant
  await db
    .insert(signingKeys)
    .values({ id: signingKeyId, workspaceId: workspace.id, publicKey: mark, createdAt: new Date() });
  const recording: NewRecording = {
    mediaId: crypto.randomUUID(),
    playbackId: crypto.randomUUID(),
    eventId: crypto.randomUUID(),
    streamId: stream.streamId,
    workspaceId: workspace.id,
    publicUrl: `http://${mark}.test`,
    maxResolution: "1080p",
    mediaPolicy: "public",
    keySystems: null,
    atMs: Date.now(),
    clip: { sourceAssetId: crypto.randomUUID(), startMs: 0, endMs: 2000 },
  };
  const clip = openRecording(db, recording, UNRESTRICTED);
  await commit(env.DB, clip.statements);
  const reported = await db.select().from(events).where(eq(events.workspaceId, workspace.id));
  const now = new Date();
  const rows = reported.flatMap((event) => {
    const row = { eventId: event.id, webhookId: webhook.id };
    const delivery = { ...row, workspaceId: workspace.id, type: event.type, naming: "service" as const, attempts: 1 };
    return [
      db.insert(deliveries).values({ ...delivery, status: "failed", lastFailure: "timed_out", createdAt: now }),
      db.insert(deliveryAttempts).values({ ...row, number: 1, startedAt: now, durationMs: 1, responseHead: mark }),
    ];
  });
  await commit(env.DB, rows);
  const view = await storeView(workspace.id, mark, { viewer_id: mark }, true);
  await storeView(workspace.id, "a", {}, true);
  const alert = await make("/v1/data/alerts", { ...ALERT, name: mark });
  await make("/v1/data/alerts", ALERT);
  const viewExport = await make("/v1/data/viewlist", {});
  const exportId = viewExport["exportId"] as string;
  const importIds = await newImports(workspace, mark);
  const [credentialId] = atob(workspace.authorization.slice(6)).split(":");
  return {
    workspace,
    ids: {
      mediaId: media.id,
      trackId: track.id,
      soundId: sound.id,
      uploadId: upload["uploadId"] as string,
      webhookId: webhook.id,
      eventId: reported.find(({ objectId }) => objectId === media.id)!.id,
      streamId: stream.streamId,
      livestreamId: stream.streamId,
      playbackId: stream.playbackIds[0]!.id,
      mediaPlaybackId: media.playbackIds[0]!.id,
      simulcastId: target["simulcastId"] as string,
      playlistId: playlist.id,
      signingKeyId,
      exportId,
      alertId: alert.id,
      viewId: view,
      viewerId: mark,
      metricId: "views",
      dimensionsId: "video_title",
      drmConfigurationId: configuration.id,
      version: "1",
      ...importIds,
    },
    traces: [
      view,
      exportId,
      alert.id,
      configuration.id,
      playlist.id,
      signingKeyId,
      mark,
      clip.event.objectId,
      media.id,
      upload["uploadId"] as string,
      media.playbackIds[0]!.id,
      webhook.id,
      webhook["secret"] as string,
      stream.streamKey,
      stream.srtSecret,
      stream.playbackIds[0]!.id,
      target["simulcastId"] as string,
      workspace.id,
      credentialId!,
      ...Object.values(importIds),
      ...reported.flatMap(({ id, objectId }) => [id, objectId]),
    ],
  };
}

/** Tenants for tests in which none of their records may change. To make one takes thirty requests. */
const shared = new Map<string, Promise<Tenant>>();
function sharedTenant(name: string): Promise<Tenant> {
  const tenant = shared.get(name) ?? newTenant();
  shared.set(name, tenant);
  return tenant;
}

/** A tenant for an operation of the owner's. Those that end something have one of their own. */
const changedTenant = (method: string): Promise<Tenant> =>
  method === "GET" ? sharedTenant("owner") : /POST|PATCH/.test(method) ? sharedTenant("owner of changes") : newTenant();

const call = ({ workspace }: Tenant, operation: Operation, path: string, theirs: Ids, headers = {}) =>
  workspace.request(operation.method, path, CALLS[operation.id]?.body?.(theirs), headers);

/** A complete answer, except for the request's id. */
async function whatIsSaidBy(response: Response) {
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
  return { status: response.status, headers, body: await response.text() };
}

/** What the shared owner has before any test. */
let untouched: Promise<Record<string, unknown>> | undefined;

/** A workspace's records that another one could change. */
async function possessionsOf({ workspace, ids }: Tenant) {
  const { mediaId, webhookId, eventId, streamId, playlistId, signingKeyId, drmConfigurationId, exportId, alertId } =
    ids;
  const { importId, listId, credentialId } = ids;
  const [viewExport] = await db.select().from(viewExports).where(eq(viewExports.id, exportId));
  const read = async (method: string, path: string) =>
    (await (await workspace.request(method, path)).json<{ data: Record<string, unknown> }>()).data;
  const { title, metadata, playbackIds } = await read("GET", `/v1/on-demand/${mediaId}`);
  const { mediaList, ...playlist } = await read("GET", `/v1/on-demand/playlists/${playlistId}`);
  const { updatedAt: _, ...batch } = await read("GET", `/v1/imports/${importId}`); // it writes its counts a while later
  return {
    viewExport,
    views: await read("GET", "/v1/data/viewlist"),
    media: { title, metadata, playbackIds },
    uploads: await read("GET", "/v1/on-demand/uploads"),
    webhook: await read("GET", `/v1/webhooks/${webhookId}`),
    secret: await read("POST", `/v1/webhooks/${webhookId}/secret/reveal`),
    event: await read("GET", `/v1/events/${eventId}`),
    deliveries: await read("GET", `/v1/webhooks/${webhookId}/deliveries`),
    stream: await read("GET", `/v1/live/streams/${streamId}`),
    playlist: { ...playlist, mediaIds: (mediaList as { id: string }[]).map(({ id }) => id) }, // their states go on
    alert: await read("GET", `/v1/data/alerts/${alertId}`),
    signingKey: await read("GET", `/v1/iam/signing-keys/${signingKeyId}`),
    drmConfiguration: await read("GET", `/v1/on-demand/drm-configurations/${drmConfigurationId}`),
    batch,
    batchItems: await read("GET", `/v1/imports/${importId}/items`),
    importList: await read("GET", `/v1/imports/lists/${listId}`),
    importCredential: await read("GET", `/v1/imports/credentials/${credentialId}`),
    importHosts: await read("GET", "/v1/imports/hosts"),
  };
}

const expectNothingOf = (owner: Tenant, text: string) => {
  for (const trace of owner.traces) expect(text).not.toContain(trace);
};

test("the table has every operation of the API, and the document has every route", () => {
  expect(differences(Object.keys(CALLS), new Set(operations.map(({ id }) => id)))).toEqual({
    missing: [],
    unknown: [],
  });
  const documented = operations.map(({ method, path }) => `${method} ${path}`);
  const routes = app.routes
    .filter(({ path }) => path.startsWith("/v1/") && !path.includes("*") && !PUBLIC_ROUTES.has(path))
    .filter(({ method, path }) => !(path.includes("/drm/") && ["ALL", "OPTIONS"].includes(method))) // refusals and preflights
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  expect(differences(documented, new Set(routes))).toEqual({ missing: [], unknown: [] });
});

describe("an operation with ids of another workspace answers as with unknown ids, and changes nothing", () => {
  test.each(items)("$id", async (operation) => {
    const stranger = await sharedTenant("stranger");
    const owner = await sharedTenant("owner");
    const before = await (untouched ??= possessionsOf(owner));
    const nobodys = someIds();
    for (const parameter of ["all of them", ...operation.parameters.filter((name) => name !== "version")]) {
      const fill = (theirs: Ids) =>
        parameter === "all of them"
          ? theirs
          : {
              ...stranger.ids,
              [parameter]: (theirs as Record<string, string>)[parameter]!,
              ...(parameter === "playbackId" ? { mediaPlaybackId: theirs.mediaPlaybackId } : {}),
              ...(parameter === "trackId" ? { soundId: theirs.soundId } : {}),
            };
      const foreign = await call(stranger, operation, pathOf(operation, fill(owner.ids)), owner.ids);
      const unknown = await call(stranger, operation, pathOf(operation, fill(nobodys)), nobodys);
      expect(unknown.status).toBe(CALLS[operation.id]?.nothing ?? 404);
      const said = await whatIsSaidBy(foreign);
      expect(said).toEqual(await whatIsSaidBy(unknown));
      expectNothingOf(owner, said.body);
    }
    expect(await possessionsOf(owner)).toEqual(before);
    // The ids are valid for an owner.
    const other = await changedTenant(operation.method);
    const ids = { ...other.ids, ...(await CALLS[operation.id]?.opensWith?.(other)) };
    const answer = await call(other, operation, pathOf(operation, ids), ids);
    expect(answer.status).toBe(CALLS[operation.id]?.opens ?? 200);
  });
});

describe("ids of another workspace in a body are answered as unknown ids", () => {
  const withIds = operations.filter(({ id }) => {
    const { body } = CALLS[id] ?? {};
    return body !== undefined && JSON.stringify(body(someIds())) !== JSON.stringify(body(someIds()));
  });
  test.each(withIds)("$id", async (operation) => {
    const [owner, stranger] = [await sharedTenant("owner"), await sharedTenant("stranger")];
    const before = await (untouched ??= possessionsOf(owner));
    const path = pathOf(operation, stranger.ids);
    const unknown = await call(stranger, operation, path, someIds());
    expect(unknown.status).toBe(404);
    expect(await whatIsSaidBy(await call(stranger, operation, path, owner.ids))).toEqual(await whatIsSaidBy(unknown));
    expect(await possessionsOf(owner)).toEqual(before);
  });
});

describe("a list has nothing of another workspace", () => {
  test.each(lists)("$id", async (operation) => {
    // Their requests are logged, and the log of requests is a list too: no other test uses these two.
    const [owner, stranger] = [await sharedTenant("owner of lists"), await sharedTenant("reader of lists")];
    const { query: required = () => "", queries = () => [], prepare } = CALLS[operation.id] ?? {};
    await prepare?.([owner.workspace, stranger.workspace]);
    const nobodys = someIds();
    for (const [index, query] of [required(owner.ids), ...queries(owner.ids)].entries()) {
      const answer = await call(stranger, operation, `${operation.path}?${query}`, owner.ids);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expectNothingOf(owner, text);
      const harmless = [required(nobodys), ...queries(nobodys)][index]!;
      if (harmless === query) continue;
      // A filter by an id of another workspace gives the same result as one by an unknown id.
      expect(text).toBe(await (await call(stranger, operation, `${operation.path}?${harmless}`, nobodys)).text());
      expect(JSON.parse(text)).toMatchObject({ data: [] });
    }
  });

  const paged = operations.filter(({ id }) => CALLS[id]?.isPaged);
  test.each(paged)("$id: nor with a cursor of that workspace", async (operation) => {
    const stranger = await sharedTenant("reader of pages");
    const owner = await sharedTenant("owner of pages"); // its records are newer
    await CALLS[operation.id]?.prepare?.([owner.workspace, stranger.workspace]);
    const firstPage = await call(owner, operation, withQuery(pathOf(operation, owner.ids), "limit=1"), owner.ids);
    const { pagination } = await firstPage.json<{ pagination: { nextCursor: string | null } }>();
    expect(pagination.nextCursor).not.toBeNull();
    const path = withQuery(pathOf(operation, stranger.ids), `limit=100&cursor=${pagination.nextCursor}`);
    const answer = await call(stranger, operation, path, stranger.ids);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expectNothingOf(owner, text);
    expect(JSON.parse(text)).toMatchObject({ data: expect.arrayContaining([expect.anything()]) as unknown });
  });

  test("every operation with a cursor in the document is tested", () => {
    const document = apiDocument(app, "http://sluice.test").paths as Record<
      string,
      Record<string, { operationId: string; parameters?: { name: string }[] }>
    >;
    const withCursor = Object.values(document)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters }) => parameters?.some(({ name }) => name === "cursor"));
    expect(withCursor.map(({ operationId }) => operationId).sort()).toEqual(paged.map(({ id }) => id).sort());
  });
});

describe("a created record belongs to the caller, also with an idempotency key that another workspace has used", () => {
  test.each(creations)("$id", async (operation) => {
    const [owner, stranger] = [await sharedTenant("owner"), await newWorkspace()];
    const headers = { "idempotency-key": IDEMPOTENCY_KEY };
    const tenant = { workspace: stranger, ids: someIds(), traces: [] };
    const answer = await call(tenant, operation, operation.path, owner.ids, headers);
    expect(answer.status).toBe(201);
    const text = await answer.text();
    expectNothingOf(owner, text);
    const { data } = JSON.parse(text) as { data: Record<string, string | undefined> };
    const { id = data["streamId"] ?? data["uploadId"] ?? data["listId"] ?? data["credentialId"] } = data;
    const path = `${CALLS[operation.id]?.madeAt ?? operation.path}/${id}`;
    expect((await stranger.request("GET", path)).status).toBe(200);
    expect((await owner.workspace.request("GET", path)).status).toBe(404);
  });
});

describe("a batch of another workspace's records is refused like one of unknown records", () => {
  test.each<[string, (theirs: Ids) => object]>([
    ["a list", ({ listId }) => ({ source: { type: "list", listId } })],
    ["credentials", ({ credentialId }) => ({ source: { type: "s3", ...S3 }, credentialId })],
  ])("%s", async (_, bodyOf) => {
    const [owner, stranger] = [await sharedTenant("owner"), await newWorkspace()];
    const create = (theirs: Ids) => stranger.request("POST", "/v1/imports", bodyOf(theirs));
    const unknown = await create(someIds());
    expect(unknown.status).toBe(404);
    expect(await whatIsSaidBy(await create(owner.ids))).toEqual(await whatIsSaidBy(unknown));
    expect(await (await stranger.request("GET", "/v1/imports")).json()).toMatchObject({ data: [] });
  });
});

test("a host of another workspace is neither changed nor shown to who wants it", async () => {
  const [owner, stranger] = [await sharedTenant("owner"), await newWorkspace()];
  const hosts = async () => await (await owner.workspace.request("GET", "/v1/imports/hosts")).text();
  const before = await hosts();
  const answer = await stranger.request("PUT", "/v1/imports/hosts", { host: owner.ids.host, source: "vimeo" });
  expect(answer.status).toBe(409);
  expect(await answer.text()).not.toContain(owner.workspace.id);
  expect(await hosts()).toBe(before);
  expect(await (await stranger.request("GET", "/v1/imports/hosts")).json()).toMatchObject({ data: [] });
});
