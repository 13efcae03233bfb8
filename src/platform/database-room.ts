import { logWarning } from "./log.ts";
import { TtlCache } from "./ttl-cache.ts";

/** D1 refuses writes at 10 GB (Cloudflare's limits of D1). The rest is for the writes that the API needs. */
const MAX_BYTES = 8_000_000_000;
const KNOWN_MS = 60_000;
const room = new TtlCache<boolean>(1);

/**
 * Whether the database has room for rows that the API can do without: what strangers cause, such as events of views, and the request log. Asked
 * before each of these writes, and known for a minute. Other writes do not ask: the remaining fifth is theirs.
 */
export async function hasSpareRoom(binding: D1Database, nowMs = Date.now()): Promise<boolean> {
  const known = room.get("", nowMs);
  if (known !== undefined) return known;
  const { meta } = await binding.prepare("SELECT 1").run();
  const hasRoom = isRoomFor(meta.size_after);
  if (!hasRoom) logWarning("database.nearly_full", { bytes: meta.size_after });
  room.set("", hasRoom, nowMs + KNOWN_MS);
  return hasRoom;
}

export const isRoomFor = (databaseBytes: number): boolean => databaseBytes <= MAX_BYTES;
