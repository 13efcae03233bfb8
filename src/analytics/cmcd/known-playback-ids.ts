import { eq } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { isUuid } from "../../platform/uuid.ts";
import { playbackIds } from "../../tenancy/access/index.ts";

const KNOWN_MS = 300_000;
/** A playback ID that was just created is known after at most this long. */
const UNKNOWN_MS = 5_000;
const known = new TtlCache<string | null>(4096);

/** The workspace that a playback ID belongs to; null = there is no such playback ID. Answered from memory where possible. */
export async function workspaceOfPlaybackId(binding: D1Database, id: string, nowMs: number): Promise<string | null> {
  if (!isUuid(id)) return null;
  const recent = known.get(id, nowMs);
  if (recent !== undefined) return recent;
  const [row] = await openDatabase(binding)
    .select({ workspaceId: playbackIds.workspaceId })
    .from(playbackIds)
    .where(eq(playbackIds.id, id));
  const workspaceId = row?.workspaceId ?? null;
  known.set(id, workspaceId, nowMs + (workspaceId === null ? UNKNOWN_MS : KNOWN_MS));
  return workspaceId;
}
