import type { Env } from "../../platform/env.ts";

/** A report of more bytes counts as several. A player's report of 10 s has about 2 KB. */
const BYTES_OF_UNIT = 4 * 1024;

export const unitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / BYTES_OF_UNIT));

/** Counts a report for its network, before anything else is done with it. @returns false beyond the limit */
export const countOfNetwork = (env: Env, network: string, units = 1): Promise<boolean> =>
  count(env.BEACONS, network, units);

/** Counts a report for its workspace and for the deployment. @returns false beyond one of the limits */
export async function countOfWorkspace(env: Env, workspaceId: string, units = 1): Promise<boolean> {
  const isWithin = await count(env.BEACONS_OF_WORKSPACE, workspaceId, units);
  return isWithin && (await count(env.BEACONS_IN_ALL, "all", units));
}

async function count(limiter: RateLimit, key: string, units: number): Promise<boolean> {
  for (let unit = 0; unit < units; unit += 1) if (!(await limiter.limit({ key })).success) return false;
  return true;
}
