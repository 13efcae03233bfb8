/** A valid request of each operation of the contract that is implemented: what `test/worker/contract` sends, and `docs/contract.md` lists as checked. */

/** Records of one workspace. */
export interface Made {
  mediaId: string;
  /** An added track of `mediaId`. */
  trackId: string;
  /** A sound of `mediaId`. */
  soundId: string;
  uploadId: string;
  /** With the clips of `mediaId`. */
  livestreamId: string;
  streamId: string;
  /** Playback ID of the stream or, below a media, of the media. */
  playbackId: string;
  mediaPlaybackId: string;
  simulcastId: string;
  playlistId: string;
  signingKeyId: string;
  viewId: string;
  /** Names, not ids. */
  metricId: string;
  dimensionsId: string;
  drmConfigurationId: string;
}

interface ContractRequest {
  body?: unknown;
  query?: string;
  /** The stream is on air, or disabled, before the request. */
  stream?: "on air" | "disabled";
  /** A summary of the media has been asked for. */
  isSummarised?: true;
  /** The playlist has the media. */
  isListed?: true;
  /** The fields of `data`, or of its items, that recorded answers of published services have. */
  fields?: readonly string[];
}

const MEDIA = "id workspaceId metadata mediaQuality maxResolution status sourceAccess playbackIds tracks".split(" ");
const MORE_OF_MEDIA = "generatedSubtitles isAudioOnly subtitleAvailable createdAt updatedAt".split(" ");
const CREATED =
  "id trial status createdAt updatedAt playbackIds metadata mediaQuality sourceAccess maxResolution inputs optimizeAudio";
const UPLOAD = "uploadId id mediaId trial status url timeout corsOrigin pushMediaSettings".split(" ");
const STREAM =
  "streamId streamKey srtSecret trial status maxResolution maxDuration createdAt reconnectWindow enableRecording enableDvrMode mediaPolicy metadata lowLatency closedCaptions playbackIds";
const LAST_DAY = "timespan[]=24:hours";
const VIEW_ITEM =
  "viewId operatingSystem application viewStartTime viewEndTime videoTitle errorCode errorMessage errorId country viewWatchTime QoeScore";
const VIEW =
  "viewId workspaceId viewStart viewEnd insertTimestamp updatedTimestamp watchTime viewPlayingTime videoStartupTime playbackScore custom events sign";
const TARGET = ["simulcastId", "url", "streamKey", "isEnabled"];
const PLAYLIST = "id name referenceId type mediaList workspaceId createdAt updatedAt mediaCount".split(" ");

const TRACK = "id type url languageCode languageName".split(" ");
const PLAYBACK_ID = ["id", "accessPolicy", "accessRestrictions"];
const RULES = { defaultPolicy: "deny", allow: ["*.example.com"], deny: [] };

const media = { fields: [...MEDIA, ...MORE_OF_MEDIA] };
const stream = { fields: STREAM.split(" ") };
const mediaIds = ({ mediaId }: Made) => ({ mediaIds: [mediaId] });

export const REQUESTS: Record<string, (made: Made) => ContractRequest> = {
  "create-media": () => ({
    body: { inputs: [{ type: "video", url: "https://cdn.test/b.mp4" }], accessPolicy: "public" },
    fields: CREATED.split(" "),
  }),
  "list-media": () => media,
  "list-live-clips": () => ({}),
  "get-media": () => media,
  "updated-media": () => ({ body: { title: "A title", metadata: { a: "b" }, creatorId: "c" }, ...media }),
  "updated-mp4Support": () => ({
    body: { mp4Support: "audioOnly,capped_4k" },
    fields: [...media.fields, "mp4Support"],
  }),
  "updated-source-access": () => ({ body: { sourceAccess: true }, ...media }),
  "update-media-summary": () => ({
    body: { generate: true, summaryLength: 100 },
    fields: ["mediaId", "isSummaryEnabled"],
  }),
  "get-media-summary": () => ({ isSummarised: true }),
  "update-media-chapters": () => ({ body: { chapters: true }, fields: ["mediaId", "isChaptersEnabled"] }),
  "update-media-named-entities": () => ({
    body: { namedEntities: true },
    fields: ["mediaId", "isNamedEntitiesEnabled"],
  }),
  "update-media-moderation": () => ({
    body: { moderation: { type: "av" } },
    fields: ["mediaId", "isModerationEnabled"],
  }),
  "delete-media": () => ({}),
  "create-media-playback-id": () => ({
    body: { accessPolicy: "private", accessRestrictions: { domains: RULES, userAgents: RULES }, resolution: "720p" },
    fields: [...PLAYBACK_ID, "resolution"],
  }),
  "list-playback-ids": () => ({ fields: PLAYBACK_ID }),
  "get-playback-id": () => ({ fields: PLAYBACK_ID }),
  "delete-media-playback-id": ({ playbackId }) => ({ query: `playbackId=${playbackId}` }),
  "update-domain-restrictions": () => ({ body: RULES, fields: Object.keys(RULES) }),
  "update-user-agent-restrictions": () => ({ body: RULES, fields: Object.keys(RULES) }),
  "Add-media-track": () => ({
    body: {
      tracks: {
        url: "https://cdn.test/b.srt",
        type: "subtitle",
        languageCode: "de",
        languageName: "German",
        title: "Deutsch",
      },
    },
    fields: [...TRACK, "title"],
  }),
  "Generate-subtitle-track": () => ({
    body: { languageCode: "en-US", languageName: "English", metadata: { a: "b" } },
    fields: ["id", "type", "languageCode", "languageName"],
  }),
  "update-media-track": () => ({ body: { languageCode: "fr", languageName: "French" }, fields: TRACK }),
  "delete-media-track": () => ({}),
  retrieveMediaInputInfo: () => ({ fields: ["configuration", "file"] }),
  "get-media-clips": () => ({}),
  "direct-upload-video-media": () => ({
    body: { corsOrigin: "*", pushMediaSettings: { accessPolicy: "public", metadata: { a: "b" } } },
    fields: UPLOAD,
  }),
  "list-uploads": () => ({ fields: UPLOAD }),
  "cancel-upload": () => ({
    fields: "uploadId trial status url corsOrigin maxResolution accessPolicy metadata".split(" "),
  }),
  "create-a-playlist": () => ({ body: { name: "b", referenceId: "b", type: "manual" }, fields: PLAYLIST }),
  "get-all-playlists": () => ({ fields: "id name type referenceId createdAt mediaCount".split(" ") }),
  "get-playlist-by-id": () => ({ isListed: true, fields: PLAYLIST }),
  "update-a-playlist": () => ({ body: { name: "b", description: "b" }, fields: PLAYLIST }),
  "delete-a-playlist": () => ({}),
  "add-media-to-playlist": (made) => ({ body: mediaIds(made), fields: PLAYLIST }),
  "change-media-order-in-playlist": (made) => ({ isListed: true, body: mediaIds(made), fields: PLAYLIST }),
  "delete-media-from-playlist": (made) => ({ isListed: true, body: mediaIds(made), fields: PLAYLIST }),
  "create-new-stream": () => ({ body: { playbackSettings: {}, inputMediaSettings: {} }, ...stream }),
  "get-all-streams": () => ({ fields: [...stream.fields, "simulcastResponses", "mediaIds"] }),
  "get-live-stream-viewer-count-by-id": () => ({ fields: ["views"] }),
  "get-live-stream-by-id": () => ({ fields: [...stream.fields, "simulcastResponses", "mediaIds"] }),
  "delete-live-stream": () => ({}),
  "update-live-stream": () => ({ body: { metadata: { a: "b" }, reconnectWindow: 120 }, ...stream }),
  "enable-live-stream": () => ({ stream: "disabled" }),
  "disable-live-stream": () => ({}),
  "complete-live-stream": () => ({ stream: "on air" }),
  "create-playbackId-of-stream": () => ({ body: { accessPolicy: "public" }, fields: ["id", "accessPolicy"] }),
  "delete-playbackId-of-stream": ({ playbackId }) => ({ query: `playbackId=${playbackId}` }),
  "get-live-stream-playback-id": () => ({ fields: ["id", "accessPolicy"] }),
  "create-simulcast-of-stream": () => ({
    body: { url: "rtmp://live.example.com/app", streamKey: "b", metadata: { a: "b" } },
    fields: [...TARGET, "metadata"],
  }),
  "delete-simulcast-of-stream": () => ({}),
  "get-specific-simulcast-of-stream": () => ({ fields: TARGET }),
  "update-specific-simulcast-of-stream": () => ({ body: { isEnabled: false, metadata: { a: "b" } }, fields: TARGET }),
  create_signing_key: () => ({ fields: ["id", "privateKey", "createdAt"] }),
  list_signing_keys: () => ({ fields: ["id", "createdAt"] }),
  delete_signing_key: () => ({ fields: ["message"] }),
  getDrmConfiguration: () => ({ fields: ["id"] }),
  getDrmConfigurationById: () => ({ fields: ["id"] }),
  "get-signing_key_by_id": () => ({ fields: ["workspaceId", "signingKeyId", "publicKey"] }),
  list_video_views: () => ({ query: `${LAST_DAY}&filterby[]=browser_name:Chrome`, fields: VIEW_ITEM.split(" ") }),
  get_video_view_details: () => ({ fields: VIEW.split(" ") }),
  list_by_top_content: () => ({ query: LAST_DAY, fields: ["videoTitle", "views", "uniqueViews"] }),
  list_dimensions: () => ({}),
  list_filter_values_for_dimension: () => ({ query: LAST_DAY, fields: ["value", "uniqueCount", "count"] }),
  list_breakdown_values: () => ({
    query: `${LAST_DAY}&groupBy=country&measurement=95th`,
    fields: ["views", "value", "totalWatchTime", "totalPlayingTime", "field"],
  }),
  list_overall_values: () => ({
    query: LAST_DAY,
    fields: ["value", "totalWatchTime", "uniqueViews", "totalViews", "totalPlayTime", "globalValue"],
  }),
  get_timeseries_data: () => ({
    query: `${LAST_DAY}&groupBy=hour`,
    fields: ["intervalTime", "metricValue", "numberOfViews"],
  }),
  list_comparison_values: () => ({
    query: `${LAST_DAY}&dimension=browser_name&value=Chrome`,
    fields: ["value", "type", "name", "metric", "measurement", "items"],
  }),
  list_errors: () => ({ query: `${LAST_DAY}&limit=5`, fields: ["errors", "topErrors"] }),
};
