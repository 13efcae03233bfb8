import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type Usage, usageOf } from "./repository.ts";

export type LimitsEnv = Pick<
  Env,
  "MAX_WORKSPACE_MEDIA" | "MAX_WORKSPACE_STREAMS" | "MAX_WORKSPACE_UPLOADS" | "MAX_WORKSPACE_BYTES"
>;

/** What a workspace may have. Each bound is checked before a creation, so concurrent creations may exceed it by their number. */
export const boundsOf = (env: LimitsEnv): Usage => ({
  mediaCount: Number(env.MAX_WORKSPACE_MEDIA),
  streamCount: Number(env.MAX_WORKSPACE_STREAMS),
  uploadCount: Number(env.MAX_WORKSPACE_UPLOADS),
  storedBytes: Number(env.MAX_WORKSPACE_BYTES),
});

/** @throws {Problem} media_limit_reached, storage_limit_reached */
export async function requireRoomForMedia(env: Env, workspaceId: string): Promise<void> {
  requireMedia(boundsOf(env), await usageOf(openDatabase(env.DB), workspaceId));
}

/** An upload becomes a media. @throws {Problem} upload_limit_reached, media_limit_reached, storage_limit_reached */
export async function requireRoomForUpload(env: Env, workspaceId: string): Promise<void> {
  const [bounds, usage] = [boundsOf(env), await usageOf(openDatabase(env.DB), workspaceId)];
  requireMedia(bounds, usage);
  if (usage.uploadCount >= bounds.uploadCount)
    throw new Problem(
      "upload_limit_reached",
      `a workspace has at most ${bounds.uploadCount} uploads that wait for their file`,
    );
}

function requireMedia(bounds: Usage, usage: Usage): void {
  if (usage.mediaCount >= bounds.mediaCount)
    throw new Problem("media_limit_reached", `a workspace has at most ${bounds.mediaCount} media`);
  if (usage.storedBytes >= bounds.storedBytes)
    throw new Problem("storage_limit_reached", `a workspace stores at most ${bounds.storedBytes} bytes of renditions`);
}

/** @throws {Problem} stream_limit_reached */
export async function requireRoomForStream(env: Env, workspaceId: string): Promise<void> {
  const [bounds, usage] = [boundsOf(env), await usageOf(openDatabase(env.DB), workspaceId)];
  if (usage.streamCount >= bounds.streamCount)
    throw new Problem("stream_limit_reached", `a workspace has at most ${bounds.streamCount} live streams`);
}
