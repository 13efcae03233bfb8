export { connectionFailureOf, connectionFailureOfStatus } from "./connection-failure.ts";
export { allowsPrivateNetwork, fetchOutside } from "./network-env.ts";
export type { NetworkEnv } from "./network-env.ts";
export { NetworkError } from "./network-error.ts";
export { checkPublicUrl } from "./public-url.ts";
export { checkHost, createHostGuard, RESOLVE_LIMITS, resolveHost } from "./resolve.ts";
export type { HostGuard, ResolveLimits } from "./resolve.ts";
export { parseRetryAfterMs } from "./retry-after.ts";
