import { and, eq } from "drizzle-orm";
import { assets } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { playbackIds } from "../../tenancy/access/index.ts";
import type { PlayedContent } from "./played-content.ts";

/** @returns null when the workspace has no such playback ID */
export async function findContent(
  binding: D1Database,
  workspaceId: string,
  playbackId: string,
): Promise<PlayedContent | null> {
  const [row] = await openDatabase(binding)
    .select({ kind: playbackIds.kind, targetId: playbackIds.targetId, durationMs: assets.durationMs })
    .from(playbackIds)
    .leftJoin(assets, eq(assets.id, playbackIds.targetId))
    .where(and(eq(playbackIds.id, playbackId), eq(playbackIds.workspaceId, workspaceId)));
  if (row === undefined) return null;
  const isAsset = row.kind === "asset";
  const { targetId, durationMs } = row;
  return { playbackId, mediaId: isAsset ? targetId : null, streamId: isAsset ? null : targetId, durationMs };
}
