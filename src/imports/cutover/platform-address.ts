/** Addresses of the platform itself, which a mapped host serves as every other host does. */
import { eq } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import { isUuid } from "../../platform/uuid.ts";
import { playbackIds } from "../../tenancy/access/index.ts";

const FOLDER = /^\/(?:v1|player|beacons|cmcd|ingest|healthz|migrated)(?:\/|$)/;
const ID = /^\/([^/.~]+)/;

/**
 * Whether an old playback ID may not take over an address. Workspaces choose old IDs and claim hosts, and the host may be one by which this deployment
 * is reached.
 *
 * @param path of the URL
 */
export async function isOfPlatform(path: string, binding: D1Database): Promise<boolean> {
  if (FOLDER.test(path)) return true;
  const [, id = ""] = ID.exec(path) ?? [];
  if (!isUuid(id.toLowerCase())) return false;
  const found = await openDatabase(binding)
    .select({ id: playbackIds.id })
    .from(playbackIds)
    .where(eq(playbackIds.id, id.toLowerCase()));
  return found.length > 0;
}
