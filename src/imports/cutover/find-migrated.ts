import { and, eq, inArray } from "drizzle-orm";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { unknownIds } from "../../platform/network/unknown-ids.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import type { SourceKind } from "../sources/source.ts";
import { migratedPlaybackIds } from "../store/tables.ts";
import { readAddress, type Reading } from "./layouts.ts";

/** How long an isolate answers from memory, and so how long a deleted media's old ID still leads to its new one, which is not found there. */
const KNOWN_MS = 10_000;
const MISSING_MS = 2000;
const known = new TtlCache<Found | null>(1024);

export interface Found {
  reading: Reading;
  /** The new one. */
  playbackId: string;
}

/**
 * The new playback ID of an old address; null = the workspace has migrated no such video. At most one query, and none for a network that has tried too
 * many unknown ones.
 *
 * @param path as `readAddress` takes it
 * @throws {Problem} too_many_requests
 */
export async function findMigrated(
  request: Request,
  env: Pick<Env, "DB" | "UNKNOWN_IDS">,
  { workspaceId, source, path }: { workspaceId: string; source: SourceKind; path: string },
): Promise<Found | null> {
  const nowMs = Date.now();
  const readings = readAddress(source, path);
  if (readings.length === 0) return null;
  const key = `${workspaceId} ${source} ${path}`;
  const remembered = known.get(key, nowMs);
  if (remembered !== undefined) return remembered;
  const id = await sha256Hex(key); // paths are long
  unknownIds.requireFew(request, id, nowMs);
  const found = await lookUp(env.DB, workspaceId, source, readings);
  known.set(key, found, nowMs + (found === null ? MISSING_MS : KNOWN_MS));
  if (found === null) await unknownIds.count(env, request, id, nowMs);
  else unknownIds.remember(id, nowMs);
  return found;
}

async function lookUp(
  binding: D1Database,
  workspaceId: string,
  source: SourceKind,
  readings: Reading[],
): Promise<Found | null> {
  const ids = readings.map(({ oldPlaybackId }) => oldPlaybackId);
  const rows = await openDatabase(binding)
    .select({ oldPlaybackId: migratedPlaybackIds.oldPlaybackId, playbackId: migratedPlaybackIds.playbackId })
    .from(migratedPlaybackIds)
    .where(
      and(
        eq(migratedPlaybackIds.workspaceId, workspaceId),
        eq(migratedPlaybackIds.source, source),
        inArray(migratedPlaybackIds.oldPlaybackId, ids),
      ),
    );
  const byId = new Map(rows.map((row) => [row.oldPlaybackId, row.playbackId]));
  const reading = readings.find(({ oldPlaybackId }) => byId.has(oldPlaybackId));
  return reading === undefined ? null : { reading, playbackId: byId.get(reading.oldPlaybackId)! };
}
