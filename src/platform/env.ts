/** Every binding of `wrangler.toml`, and the secrets that `wrangler secret put` (or `npm start`) adds. */
export interface Env {
  DB: D1Database;
  MEDIA: R2Bucket;
  PURGES: Queue;
  DELIVERIES: Queue;
  CLIPS: Queue;
  ASSET_MACHINE: DurableObjectNamespace;
  ENCODER: DurableObjectNamespace;
  WEBHOOK_SENDER: DurableObjectNamespace;
  LIVE_STREAM_MACHINE: DurableObjectNamespace;
  LIVE_ORIGIN: DurableObjectNamespace;
  ASSETS: Fetcher;
  /** Counts failed logins. */
  AUTH_FAILURES: RateLimit;

  PUBLIC_URL: string;
  ENCODER_URL: string;
  ALLOW_PRIVATE_NETWORK: string;
  MAX_SOURCE_BYTES: string;
  /** How long an encoder may be silent about a job, ms; unset = 30 s. */
  JOB_LEASE_MS?: string;
  /** Shrinks or stretches the waits before a failed source is asked again; unset = 1. Tests make it small. */
  SOURCE_RETRY_SCALE?: string;
  /** The same for the waits between attempts to deliver a webhook and between probes of an endpoint that fails. */
  WEBHOOK_RETRY_SCALE?: string;
  /** The same for a live stream's reconnect window and longest duration. */
  LIVE_WAIT_SCALE?: string;
  /** PART-TARGET of low-latency streams, 200 to 1000 ms; unset = 500. */
  LIVE_PART_TARGET_MS?: string;
  /** Where broadcasters reach the ingest, without a key, while no gateway has told its own addresses. */
  INGEST_RTMP_URL?: string;
  INGEST_RTMPS_URL?: string;
  INGEST_SRT_URL?: string;
  /** Ids of ingest gateways whose credentials are no longer good, comma-separated. */
  REVOKED_GATEWAYS?: string;

  /** Signs tokens of jobs and of live sessions: one secret, or several during a rotation (protocol/secrets.ts). */
  JOB_SECRET: string;
  /** Authenticates the Worker at the encoder's HTTP port; credentials of gateways are made from it. Several during a rotation. */
  ENCODER_SECRET: string;
  /** Seal the signing secrets of webhooks: "k2:<32 bytes in Base64>,k1:…". The first seals, all of them open. */
  WEBHOOK_KEYS: string;

  /** Local platform only: fetches with a network that refuses private addresses at connect time. */
  SOURCE_NETWORK?: Fetcher;
  /** Local platform only: `GET /{hostname}` answers `{ addresses: string[] }`. Elsewhere names are resolved over DNS-over-HTTPS. */
  RESOLVER?: Fetcher;
}
