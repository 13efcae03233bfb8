import type { NewEvent } from "../../events/index.ts";
import type { Env } from "../../platform/env.ts";
import type { AssetRecord } from "../assets/repository.ts";
import { toMedia } from "../assets/to-media.ts";
import type { Upload } from "./repository.ts";
import { toRecord } from "./to-record.ts";

interface Moment {
  id: string;
  atMs: number;
}

/** An event about an upload, with its record (media contract, data of upload events). */
export function uploadEvent(
  env: Env,
  type: "video.media.upload" | "video.media.upload.cancelled",
  upload: Upload,
  { id, atMs }: Moment,
): NewEvent {
  const status = type === "video.media.upload" ? "waiting" : "cancelled";
  const data = toRecord(env, upload, status);
  return { id, workspaceId: upload.workspaceId, type, objectId: upload.id, occurredAtMs: atMs, data };
}

/** An upload has become a media. */
export function mediaCreatedEvent(record: AssetRecord, { id, atMs }: Moment): NewEvent {
  const { id: mediaId, playbackIds, metadata, maxResolution, mediaQuality } = toMedia(record);
  const data = { id: mediaId, status: "Created", playbackIds, metadata, maxResolution, mediaQuality };
  const { workspaceId } = record.asset;
  return { id, workspaceId, type: "video.upload.media_created", objectId: mediaId, occurredAtMs: atMs, data };
}
