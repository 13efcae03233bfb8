import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { HexId, Timestamp } from "../../records/fields.ts";
import { PlaybackIdRecord } from "../../records/playback-id.ts";
import { createdMedia, Media, readyMedia, samplePlaybackId } from "./records.ts";
import { SAMPLE, SAMPLE_CREATED_AT, SAMPLE_UPDATED_AT } from "./samples.ts";
import { sampleUpload, Upload } from "./upload.ts";

const media = kindsOf("media", "media");
const { id, workspaceId, status, playbackIds, metadata, maxResolution, mediaQuality } = Media.shape;

/** A media made from a live stream, when it is created. */
const StreamMedia = z.strictObject({
  id,
  streamId: HexId,
  workspaceId,
  status,
  maxResolution: maxResolution.optional(),
  playbackIds,
  createdAt: Timestamp,
});
const sampleStreamMedia = (): z.output<typeof StreamMedia> => ({
  id: SAMPLE.mediaId,
  streamId: SAMPLE.streamId,
  workspaceId: SAMPLE.workspaceId,
  status: "Created",
  maxResolution: "1080p",
  playbackIds: [samplePlaybackId()],
  createdAt: SAMPLE_CREATED_AT,
});

export const mediaKinds = {
  "asset.created": media({
    isSent: true,
    videoType: "video.media.created",
    status: "media_created",
    when: "A media was created from a source URL.",
    data: Media,
    example: createdMedia(),
  }),
  "asset.ready": media({
    isSent: true,
    videoType: "video.media.ready",
    status: "ready",
    when: "Processing has finished and the whole ladder is playable.",
    data: Media,
    example: readyMedia(),
  }),
  "asset.errored": media({
    isSent: true,
    videoType: "video.media.failed",
    status: "failed",
    when: "Processing has failed permanently; `data.error` has the reason and whether the source or the service is at fault.",
    data: Media,
    example: {
      ...createdMedia(),
      status: "Failed",
      updatedAt: SAMPLE_UPDATED_AT,
      error: {
        code: "source_not_found",
        message: "The source's server has no such file. (status 404)",
        fault: "source",
      },
    },
  }),
  "video.media.updated": media({
    isSent: true,
    status: "updated",
    when: "Title, creator, metadata, tracks or settings of a media were changed.",
    data: Media,
    example: { ...readyMedia(), metadata: { campaign: "summer" } },
  }),
  "video.media.deleted": media({
    isSent: true,
    status: "deleted",
    when: "A media was deleted and is no longer playable.",
    data: z.strictObject({ id, workspaceId, status, playbackIds }),
    example: {
      id: SAMPLE.mediaId,
      workspaceId: SAMPLE.workspaceId,
      status: "Ready",
      playbackIds: [samplePlaybackId()],
    },
  }),
  "video.media.non_standard_format.detected": media({
    isSent: true,
    status: "non_standard_format",
    when: "The source has a format that takes longer to process, so that it plays once it is encoded; for information only.",
    data: z.strictObject({
      ...Media.shape,
      reason: z.string().openapi({ description: "What rules out playing the source as it is; for people" }),
    }),
    example: { ...createdMedia(), status: "Downloading", reason: "audio that is not AAC" },
  }),
  "video.media.upload": media({
    isSent: true,
    status: "waiting",
    when: "A direct upload was created; no data has arrived yet.",
    data: Upload,
    example: sampleUpload("waiting"),
  }),
  "video.upload.media_created": media({
    isSent: true,
    status: "media_created",
    when: "A direct upload is complete and became a media.",
    data: z.strictObject({ id, status: z.literal("Created"), playbackIds, metadata, maxResolution, mediaQuality }),
    example: {
      id: SAMPLE.uploadId,
      status: "Created",
      playbackIds: [samplePlaybackId()],
      metadata: { campaign: "spring" },
      maxResolution: "1080p",
      mediaQuality: "standard",
    },
  }),
  "video.media.upload.cancelled": media({
    isSent: true,
    status: "cancelled",
    when: "A direct upload was cancelled before it was complete.",
    data: Upload,
    example: sampleUpload("cancelled"),
  }),
  "video.media.live_stream.created": media({
    isSent: true,
    status: "media_created",
    when: "The recording of a live stream was created; `data.id` is its media, `data.streamId` the stream.",
    data: StreamMedia,
    example: sampleStreamMedia(),
  }),
  "video.media.live_clip.created": media({
    isSent: true,
    status: "media_created",
    when: "A clip of a live stream was created as a media.",
    data: StreamMedia,
    example: sampleStreamMedia(),
  }),
  /** The contract has them for media only; a stream's are in `video.live_stream.updated`. */
  "video.playback_id.created": media({
    isSent: true,
    status: "created",
    when: "A playback ID was added to a media, besides the one that it was created with.",
    data: z.strictObject(PlaybackIdRecord.shape),
    example: samplePlaybackId(),
  }),
  "video.playback_id.deleted": media({
    isSent: true,
    status: "deleted",
    when: "A playback ID was removed from a media.",
    data: z.strictObject({ id: z.uuid() }),
    example: { id: SAMPLE.playbackId },
  }),
};
