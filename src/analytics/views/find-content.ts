import { and, eq } from "drizzle-orm";
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
    .select({ kind: playbackIds.kind, targetId: playbackIds.targetId })
    .from(playbackIds)
    .where(and(eq(playbackIds.id, playbackId), eq(playbackIds.workspaceId, workspaceId)));
  if (row === undefined) return null;
  const isAsset = row.kind === "asset";
  return { playbackId, mediaId: isAsset ? row.targetId : null, streamId: isAsset ? null : row.targetId };
}
