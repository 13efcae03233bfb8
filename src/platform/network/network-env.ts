import type { Env } from "../env.ts";

/** What of the environment decides how hosts that customers name are reached. Any `Env` will do. */
export type NetworkEnv = Pick<Env, "ALLOW_PRIVATE_NETWORK" | "SOURCE_NETWORK" | "RESOLVER">;

export const allowsPrivateNetwork = (env: Pick<Env, "ALLOW_PRIVATE_NETWORK">) => env.ALLOW_PRIVATE_NETWORK === "true";

/** `fetch` through the local platform's guarded network where there is one, and through the runtime's own elsewhere. */
export function fetchOutside(env: NetworkEnv, url: URL, init: RequestInit): Promise<Response> {
  return env.SOURCE_NETWORK === undefined ? fetch(url, init) : env.SOURCE_NETWORK.fetch(url, init);
}
