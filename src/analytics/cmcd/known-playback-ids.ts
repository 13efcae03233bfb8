import { eq } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import { playbackIds } from "../../tenancy/access/index.ts";
import { KnownIds } from "../beacons/known-ids.ts";

const UNKNOWN_MS = 5_000;

/** The workspaces of playback IDs. */
export const knownPlaybackIds = new KnownIds(async (binding, id) => {
  const [row] = await openDatabase(binding)
    .select({ workspaceId: playbackIds.workspaceId })
    .from(playbackIds)
    .where(eq(playbackIds.id, id));
  return row?.workspaceId ?? null;
}, UNKNOWN_MS);
