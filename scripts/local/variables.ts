/** The environment variables that the local platform takes, for the help of `npm start`, `npm run dev` and `npm run demo`. */
import type { VariableName } from "../../src/platform/variables.ts";
import type { OptionalSecret } from "../secrets/fresh.ts";

/** Those of the platform itself. */
const PLATFORM_VARIABLES = {
  PORT: "of the API, the player and playback (8787)",
  ENCODER_PORT: "of the encoder, on loopback (8790)",
  RTMP_PORT: "of the ingest gateway, for RTMP (1935)",
  SRT_PORT: "of the ingest gateway, for SRT over UDP (8890)",
  INGEST_PORT: "of the ingest gateway, for pushes over HTTP (8791)",
  SLUICE_HOME: "where its data is kept (.sluice)",
};

/** Those that the Worker gets: all of its variables. */
const WORKER_VARIABLES: Record<VariableName, string> = {
  ALLOW_PRIVATE_NETWORK: '"true": sources on private addresses are fetched too',
  BEACON_DOMAIN: "data SDKs report to {workspace id}.BEACON_DOMAIN, such as data.localhost (none)",
  PUBLIC_URL: "where players and encoders reach the Worker (http://127.0.0.1:PORT)",
  ENCODER_URL: "the encoder that gets the jobs (the one that is started)",
  ENCODER_CONTAINERS: "containers over which jobs are distributed, without ENCODER_URL",
  MAX_SOURCE_BYTES: "largest source, in bytes",
  MAX_WORKSPACE_MEDIA: "media of a workspace",
  MAX_WORKSPACE_STREAMS: "live streams of a workspace",
  MAX_WORKSPACE_UPLOADS: "uploads of a workspace that wait for their file",
  MAX_WORKSPACE_BYTES: "bytes that a workspace stores",
  MAX_WORKSPACE_PLAYBACK_EVENTS: "playback.* events of a workspace a day",
  VIEW_RETENTION_DAYS: "days for which views are kept",
  MP4_SUPPORT_ARRAY_CLIENTS: "API clients that read mp4Support as an array",
  AI_BASE_URL: "an endpoint with OpenAI's API, for captions (the encoder's own model)",
  AI_SPEECH_MODEL: "its model that writes down speech (whisper-1)",
  AI_SPEECH_USD_PER_MINUTE: "its price for a minute of sound, in dollars (0.006)",
  AI_TEXT_MODEL: "its model of summaries, chapters and names; built-in: none (gpt-4.1-mini)",
  AI_TEXT_INPUT_USD_PER_MILLION: "its price for a million tokens that it reads, in dollars (0.4)",
  AI_TEXT_OUTPUT_USD_PER_MILLION: "the same for tokens that it writes (1.6)",
  AI_VISION_MODEL:
    "its model that looks at pictures, for moderation; built-in: the encoder's classifier (gpt-4.1-mini)",
  AI_VISION_INPUT_USD_PER_MILLION: "its price for a million tokens that it reads, in dollars (0.4)",
  AI_VISION_OUTPUT_USD_PER_MILLION: "the same for tokens that it writes (1.6)",
  AI_MONTHLY_BUDGET_USD: "dollars that a workspace may spend on AI in a month (50)",
  JOB_LEASE_MS: "lease of a job without a heartbeat from its encoder",
  SOURCE_RETRY_SCALE: "factor of the delays before retries of a source",
  WEBHOOK_RETRY_SCALE: "factor of the delays between attempts of a webhook",
  LIVE_PART_TARGET_MS: "part duration of low-latency streams",
  LIVE_WAIT_SCALE: "factor of reconnectWindow and maxDuration",
  INGEST_RTMP_URL: "address for broadcasters while no gateway has reported",
  INGEST_RTMPS_URL: "the same for RTMPS",
  INGEST_SRT_URL: "the same for SRT",
  IMPORT_BASE_URLS: "JSON, source → URL: where the APIs of migration sources are, such as stand-ins",
  REVOKED_GATEWAYS: "ids of gateways that are no longer accepted",
  DRM_LICENSE_PROXY_CPIX_URL: "keys of your licence service",
  DRM_LICENSE_PROXY_WIDEVINE_URL: "its Widevine licences",
  DRM_LICENSE_PROXY_FAIRPLAY_URL: "its FairPlay licences",
  DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL: "its FairPlay certificate",
  R2_SQL_URL: "queries of very large workspaces' views",
  R2_SQL_TABLE: "their table",
};

const SECRET_VARIABLES: Record<OptionalSecret, string> = {
  AI_API_KEY: "key of AI_BASE_URL",
  R2_SQL_TOKEN: "token of R2_SQL_URL",
  DRM_LICENSE_PROXY_AUTHORIZATION: "header Authorization of requests to the licence service",
};

export const LOCAL_VARIABLES: Readonly<Record<string, string>> = {
  ...PLATFORM_VARIABLES,
  ...WORKER_VARIABLES,
  ...SECRET_VARIABLES,
};

export const VARIABLES_NOTE = `These are environment variables of this start. One that is set replaces the value of .dev.vars, .env and wrangler.toml; an
empty one counts as not set.`;
