import type { NewEvent } from "../../events/index.ts";
import type { AssetRecord } from "./repository.ts";
import { toMedia } from "./to-media.ts";

/** An event about an asset, with its record at commit time (media contract, data of media events). */
export function mediaEvent(
  type: "asset.created" | "asset.ready" | "asset.errored" | "video.media.updated" | "live_stream.recording.ready",
  record: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
): NewEvent {
  const { progress: _, ...data } = toMedia(record); // progress changes every second and is not part of events
  return { id, workspaceId: record.asset.workspaceId, type, objectId: record.asset.id, occurredAtMs: atMs, data };
}

export function deletedEvent(
  { asset, playbackIds }: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
): NewEvent {
  const { status, playbackIds: ids } = toMedia({ asset, playbackIds, tracks: [] });
  const data = { id: asset.id, workspaceId: asset.workspaceId, status, playbackIds: ids };
  return {
    id,
    workspaceId: asset.workspaceId,
    type: "video.media.deleted",
    objectId: asset.id,
    occurredAtMs: atMs,
    data,
  };
}
