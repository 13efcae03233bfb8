import { workspaceExists } from "../../tenancy/workspaces/index.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { isUuid } from "../../platform/uuid.ts";

const KNOWN_MS = 300_000;
/** A workspace that was just created is known after at most this long. */
const UNKNOWN_MS = 30_000;
const known = new TtlCache<boolean>(4096);

/** Whether a workspace exists, so that a stranger's beacons for others are never stored. Answered from memory where possible. */
export async function isWorkspace(binding: D1Database, id: string, nowMs: number): Promise<boolean> {
  if (!isUuid(id)) return false;
  const recent = known.get(id, nowMs);
  if (recent !== undefined) return recent;
  const exists = await workspaceExists(binding, id);
  known.set(id, exists, nowMs + (exists ? KNOWN_MS : UNKNOWN_MS));
  return exists;
}
