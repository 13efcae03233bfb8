import type { EditOperation } from "../../media/edits/montage.ts";
import type { RequestedMark } from "../../media/edits/watermark.ts";
import { recordOf } from "../../platform/http/record.ts";
import type { NewEvent } from "../../events/index.ts";
import type { PlaybackId } from "../../tenancy/access/index.ts";
import type { AssetRecord } from "./repository.ts";
import { toPlaybackId } from "./to-playback-id.ts";
import { toMedia } from "./to-media.ts";

/** An event about an asset, with its record at commit time (media contract, data of media events). */
export function mediaEvent(
  type:
    | "asset.created"
    | "asset.ready"
    | "asset.errored"
    | "video.media.updated"
    | "video.media.non_standard_format.detected"
    | "live_stream.recording.ready",
  record: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
  more: { reason?: string } = {},
): NewEvent {
  const { progress: _, ...media } = toMedia(record); // progress changes every second and is not part of events
  const data = { ...media, ...more };
  return { id, workspaceId: record.asset.workspaceId, type, objectId: record.asset.id, occurredAtMs: atMs, data };
}

/** Nothing will change by itself any more. */
export const isOver = ({ status }: Pick<AssetRecord["asset"], "status">) => status === "ready" || status === "errored";

/** The original file can be downloaded from now on, or no longer. */
export const sourceEvent = (
  { asset: { id: objectId, workspaceId, sourceAccess } }: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
): NewEvent => ({
  id,
  workspaceId,
  type: sourceAccess ? "video.media.source.ready" : "video.media.source.deleted",
  objectId,
  occurredAtMs: atMs,
  data: { id: objectId, sourceAccess },
});

/** The files for download are offered from now on; none with `none`. */
export const mp4Event = (record: AssetRecord, { id, atMs }: { id: string; atMs: number }): NewEvent => {
  const { id: objectId, workspaceId, mp4Support } = record.asset;
  const data = { id: objectId, mp4Support: mp4Support ?? "none", playbackIds: record.playbackIds.map(toPlaybackId) };
  return { id, workspaceId, type: "video.media.mp4Support.ready", objectId, occurredAtMs: atMs, data };
};

/** A playback ID was added (media contract, events of playback IDs). */
export const playbackIdCreated = (
  playbackId: PlaybackId,
  { asset: { id: objectId, workspaceId } }: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
): NewEvent => ({
  id,
  workspaceId,
  type: "video.playback_id.created",
  objectId,
  occurredAtMs: atMs,
  data: toPlaybackId(playbackId),
});

export const playbackIdDeleted = (
  playbackId: string,
  { asset: { id: objectId, workspaceId } }: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
): NewEvent => ({
  id,
  workspaceId,
  type: "video.playback_id.deleted",
  objectId,
  occurredAtMs: atMs,
  data: { id: playbackId },
});

/** Events of what was done to a media (media contract, events of transformations). */
export type TransformedType = `video.media.${"audio_swap" | "impose_track" | "optimize_audio" | EditOperation}.ready`;

export function transformedEvent(
  type: TransformedType,
  record: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
): NewEvent {
  const { asset } = record;
  const media = toMedia(record);
  const { thumbnail, workspaceId, metadata, maxResolution, sourceResolution, playbackIds, tracks } = media;
  const facts = { id: media.id, workspaceId, metadata, maxResolution, sourceResolution, playbackIds, tracks };
  const data = thumbnail === undefined ? facts : { thumbnail, ...facts };
  return { id, workspaceId: asset.workspaceId, type, objectId: asset.id, occurredAtMs: atMs, data };
}

/** A watermark is in every picture (media contract, events: `data.id` is the watermark). */
export const watermarkEvent = (
  { id: objectId, workspaceId }: AssetRecord["asset"],
  { id: markId, url, placement, width, height, opacity }: RequestedMark,
  { id, atMs }: { id: string; atMs: number },
): NewEvent => ({
  id,
  workspaceId,
  type: "video.media.watermark.ready",
  objectId,
  occurredAtMs: atMs,
  data: recordOf({ id: markId, url, placement, width, height, opacity }),
});

export function deletedEvent(
  { asset, playbackIds }: AssetRecord,
  { id, atMs }: { id: string; atMs: number },
): NewEvent {
  const { status, playbackIds: ids } = toMedia({
    asset,
    playbackIds,
    tracks: [],
    addedTracks: [],
    insights: [],
    isHeld: false,
  });
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
