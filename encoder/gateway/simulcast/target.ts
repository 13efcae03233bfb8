/** What simulcast is about: where to, and what is told of it. Types and pure rules. */

export interface SimulcastTarget {
  simulcastId: string;
  /** rtmp:// or rtmps://, without the key: "rtmps://live.example.com/app". */
  url: string;
  streamKey: string;
}

/**
 * `connecting`: the first try, and the first after a connection was lost (event `starting`); `active`: the target takes the broadcast
 * (event `broadcasting`); `failed`: it could not be reached or refuses, told once for each reason while it is tried again;
 * `disconnected`: an active one was lost; `idle`: the broadcast is over.
 */
export type SimulcastState = "connecting" | "active" | "failed" | "disconnected" | "idle";

/** `overloaded`: this gateway has no room for another push. `unsupported` stays so: RTMP has no way to carry the source's sound or picture. The others are tried again. */
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

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

/** @param failures in a row so far, at least 1 */
export const retryAfterMs = (failures: number): number => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));

export interface Destination {
  host: string;
  port: number;
  isSecure: boolean;
  app: string;
  tcUrl: string;
}

/** @returns null when it is no RTMP URL with an application */
export function destinationOf(url: string): Destination | null {
  const isSecure = /^rtmps:\/\//i.test(url);
  const asHttp = url.replace(/^rtmps?:\/\//i, "http://"); // only of http URLs every way to write an address is understood
  if (asHttp === url || !URL.canParse(asHttp)) return null;
  const { hostname, host, pathname, search } = new URL(asHttp);
  const port = /^http:\/\/[^/?#]*?:(\d+)(?:[/?#]|$)/.exec(asHttp)?.[1]; // 80 too, which a URL's own `port` leaves out
  const app = pathname.replace(/^\/+|\/+$/g, "") + search;
  if (app === "") return null;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === undefined ? (isSecure ? 443 : 1935) : Number(port),
    isSecure,
    app,
    tcUrl: `${isSecure ? "rtmps" : "rtmp"}://${host}/${app}`,
  };
}
