import type { Env } from "../env.ts";

/** The part of `Env` that decides how customers' hosts are reached. */
export type NetworkEnv = Pick<Env, "ALLOW_PRIVATE_NETWORK" | "SOURCE_NETWORK" | "RESOLVER">;

export const allowsPrivateNetwork = (env: Pick<Env, "ALLOW_PRIVATE_NETWORK">) => env.ALLOW_PRIVATE_NETWORK === "true";

/** `fetch` through the local platform's guarded network if configured, otherwise through the runtime's network. */
export function fetchOutside(env: NetworkEnv, url: URL, init: RequestInit): Promise<Response> {
  return env.SOURCE_NETWORK === undefined ? fetch(url, init) : env.SOURCE_NETWORK.fetch(url, init);
}
