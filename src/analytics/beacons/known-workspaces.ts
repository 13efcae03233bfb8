import { workspaceExists } from "../../tenancy/workspaces/index.ts";
import { KnownIds } from "./known-ids.ts";

const UNKNOWN_MS = 30_000;

/** Ids of workspaces: beacons for other ids are not stored. */
export const knownWorkspaces = new KnownIds(
  async (binding, id) => ((await workspaceExists(binding, id)) ? id : null),
  UNKNOWN_MS,
);
