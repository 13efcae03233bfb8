/** Simulcast targets, their states and failure reasons. Types and pure rules. */
import type { TargetState } from "../../../protocol/live.ts";

export interface SimulcastTarget {
  simulcastId: string;
  /** rtmp:// or rtmps://, without the key: "rtmps://live.example.com/app". */
  url: string;
  streamKey: string;
}

/**
 * `connecting`: the first attempt, and the first after a lost connection (event `starting`); `active`: the target accepts the broadcast
 * (event `broadcasting`); `failed`: the target is unreachable or refuses, reported once per reason during retries; `disconnected`: an
 * active connection was lost; `idle`: the broadcast is over.
 */
export type SimulcastState = "connecting" | "active" | "failed" | "disconnected" | "idle";

/** `overloaded`: all push slots of the gateway are in use. `unsupported`: RTMP cannot carry the source's codecs; not retried, like `malformed_url`. */
export const SIMULCAST_REASONS = [
  "malformed_url",
  "forbidden_address",
  "unreachable",
  "refused",
  "timeout",
  "lost",
  "unsupported",
  "overloaded",
  "crashed",
] as const;
export type SimulcastReason = (typeof SIMULCAST_REASONS)[number];

export interface SimulcastFailure {
  reason: SimulcastReason;
  /** For people, such as "ECONNREFUSED"; without the target's address and key. */
  detail: string;
}

const REPORTED = {
  connecting: "starting",
  active: "broadcasting",
  failed: "failed",
  disconnected: "failed",
  idle: "ended",
} as const;

const MAX_DETAIL_LENGTH = 256;

/** The state as reported to the Worker. */
export const reportOf = (
  state: SimulcastState,
  failure?: SimulcastFailure,
): Pick<TargetState, "state" | "failure"> => ({
  state: REPORTED[state],
  ...(failure && { failure: { ...failure, detail: failure.detail.slice(0, MAX_DETAIL_LENGTH) } }),
});

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

/** @param failures consecutive failures so far, at least 1 */
export const retryAfterMs = (failures: number): number => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));

export interface Destination {
  host: string;
  port: number;
  isSecure: boolean;
  app: string;
  tcUrl: string;
}

/** @returns null when it is not an RTMP URL with an application */
export function destinationOf(url: string): Destination | null {
  const isSecure = /^rtmps:\/\//i.test(url);
  const asHttp = url.replace(/^rtmps?:\/\//i, "http://"); // only http URLs get their hosts normalized
  if (asHttp === url || !URL.canParse(asHttp)) return null;
  const { hostname, host, pathname, search } = new URL(asHttp);
  const port = /^http:\/\/[^/?#]*?:(\d+)(?:[/?#]|$)/.exec(asHttp)?.[1]; // `URL.port` would omit 80
  const path = pathname.replace(/^\/+|\/+$/g, "");
  if (path === "") return null;
  const app = path + search;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === undefined ? (isSecure ? 443 : 1935) : Number(port),
    isSecure,
    app,
    tcUrl: `${isSecure ? "rtmps" : "rtmp"}://${host}/${app}`,
  };
}
