import { workspaceExists } from "../../tenancy/workspaces/index.ts";
import { KnownIds } from "./known-ids.ts";

const UNKNOWN_MS = 30_000;

/** Ids of workspaces, so that a stranger's beacons for others are never stored. */
export const knownWorkspaces = new KnownIds(
  async (binding, id) => ((await workspaceExists(binding, id)) ? id : null),
  UNKNOWN_MS,
);
