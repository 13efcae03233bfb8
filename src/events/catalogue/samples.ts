import type { EventObjectType } from "./kind.ts";

/** Example identifiers, in the formats of the media contract. */
export const SAMPLE = {
  workspaceId: "0d3b9f52-6c1e-4a87-9b40-7e2f5c81d6a3",
  mediaId: "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205",
  uploadId: "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205", // an upload and its media share an id
  playbackId: "c46f80d1-93a7-4e2b-b5d8-06f2a71c3e9b",
  videoTrackId: "1b7d2e60-54c9-4f13-a8e6-d3904bc7f518",
  audioTrackId: "e92c6a37-0d8f-4b54-93b1-5f7a28e0c46d",
  subtitleTrackId: "38f0b5d2-e714-4c9a-86d7-a2c15e9f0b74",
  watermarkId: "64a9d7f3-18e5-4b0c-9f62-c07b3d52e81a",
  viewId: "b05e3c81-f72d-4a96-8e14-6d9c02f7b53a",
  alertId: "a6f29c15-7d83-4e0b-8b52-3c91e7d0f468",
  batchId: "f3812d6b-a5c0-4e79-b216-48d7e09c5a1f",
  webhookId: "2c95e7a0-d64b-4f38-a17c-83f5b0e2d94c",
  eventId: "9e60d4b8-37f1-4c25-8da9-1f54c7a2e063",
  exhaustedEventId: "51c8f2e7-b093-4d6a-95e0-7ab3d6481fc9",
  streamId: "4f1a90c7d26e4b85a3f7108be59d62c4",
  simulcastId: "d80b6e53f9a24c17b46e92f05a7c318d",
} as const;

/** `object.id` of an example. */
export const SAMPLE_OBJECT_IDS: Record<EventObjectType, string> = {
  media: SAMPLE.mediaId,
  live: SAMPLE.streamId,
  view: SAMPLE.viewId,
  alert: SAMPLE.alertId,
  migration_batch: SAMPLE.batchId,
  webhook: SAMPLE.webhookId,
};

export const SAMPLE_CREATED_AT = "2026-05-20T12:50:15.662000Z";
export const SAMPLE_UPDATED_AT = "2026-05-20T12:50:24.318000Z";
