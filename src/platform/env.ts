/** The bindings, variables and secrets of `wrangler.toml`, as `npm run types` generates them, and what only some installations set. */
export interface Env extends Cloudflare.Env {
  /** Lease of a job without a heartbeat from its encoder, ms; unset = 30 s. */
  JOB_LEASE_MS?: string;
  /** Factor of the delays before retries of a failed source; unset = 1. Tests use a small one. */
  SOURCE_RETRY_SCALE?: string;
  /** The same for the delays between delivery attempts of a webhook and between probes of a failing endpoint. */
  WEBHOOK_RETRY_SCALE?: string;
  /** The same for a live stream's reconnect window and longest duration. */
  LIVE_WAIT_SCALE?: string;

  /** Secret: the header `Authorization` of requests to the owner's licence service; unset = none. */
  DRM_LICENSE_PROXY_AUTHORIZATION?: string;

  /** Secret: the token with which the table of the distributed engine is queried (docs/guides/video-data.md). */
  R2_SQL_TOKEN?: string;
  /** The Pipelines stream through which views get into that table; unset = there is no distributed engine. */
  VIEW_STREAM?: { send(records: Record<string, unknown>[]): Promise<void> };

  /** Workers AI; `npm run deploy` binds it where the settings ask for it. Never there locally. */
  AI?: { run(model: string, inputs: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<unknown> };
  /** Secret: the key of AI_BASE_URL; unset = the endpoint asks for none. */
  AI_API_KEY?: string;

  /** `npm start` only: a network that refuses private addresses at connect time. */
  SOURCE_NETWORK?: Fetcher;
  /** `npm start` only: `GET /{hostname}` returns `{ addresses: string[] }`. Elsewhere names are resolved by DNS over HTTPS. */
  RESOLVER?: Fetcher;
}
