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
  /** Lease of a job without a heartbeat from its encoder, ms; unset = 30 s. */
  JOB_LEASE_MS?: string;
  /** Factor of the delays before retries of a failed source; unset = 1. Tests use a small one. */
  SOURCE_RETRY_SCALE?: string;
  /** The same for the delays between delivery attempts of a webhook and between probes of a failing endpoint. */
  WEBHOOK_RETRY_SCALE?: string;
  /** The same for a live stream's reconnect window and longest duration. */
  LIVE_WAIT_SCALE?: string;
  /** PART-TARGET of low-latency streams, 200 to 1000 ms; unset = 500. */
  LIVE_PART_TARGET_MS?: string;
  /** Ingest URLs for broadcasters, without a stream key, until a gateway has reported its own. */
  INGEST_RTMP_URL?: string;
  INGEST_RTMPS_URL?: string;
  INGEST_SRT_URL?: string;
  /** Ids of ingest gateways whose credentials are revoked, comma-separated. */
  REVOKED_GATEWAYS?: string;

  /** Signs tokens of jobs and of live sessions: one secret, or several during a rotation (protocol/secrets.ts). */
  JOB_SECRET: string;
  /** Authenticates the Worker to the encoder; gateway credentials are derived from it. Several during a rotation. */
  ENCODER_SECRET: string;
  /** Seal the signing secrets of webhooks: "k2:<32 bytes in Base64>,k1:…". The first seals, all of them open. */
  WEBHOOK_KEYS: string;

  /** Local platform only: a network that refuses private addresses at connect time. */
  SOURCE_NETWORK?: Fetcher;
  /** Local platform only: `GET /{hostname}` returns `{ addresses: string[] }`. Elsewhere names are resolved by DNS over HTTPS. */
  RESOLVER?: Fetcher;
}
