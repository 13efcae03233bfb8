import { describe, expect, test } from "vitest";
import { BLANK_ASSET } from "../../../src/library/assets/blank-asset.ts";
import { deletedEvent, mediaEvent } from "../../../src/library/assets/media-event.ts";
import type { AssetRecord } from "../../../src/library/assets/repository.ts";
import { CATALOGUE } from "../../../src/events/catalogue/catalogue.ts";
import { SAMPLE } from "../../../src/events/catalogue/samples.ts";
import { DELIVERY_FAILURES } from "../../../src/events/webhooks/records/failures.ts";

const at = new Date("2026-05-20T12:50:15.662Z");
const occurrence = { id: SAMPLE.eventId, atMs: at.getTime() };

const justCreated: AssetRecord["asset"] = {
  ...BLANK_ASSET,
  id: SAMPLE.mediaId,
  workspaceId: SAMPLE.workspaceId,
  accessPolicy: "public",
  maxResolution: "1080p",
  mediaQuality: "standard",
  sourceUrl: "https://example.com/film.mp4",
  publicUrl: "https://sluice.example.com",
  createdAt: at,
  updatedAt: at,
};
const playbackIds: AssetRecord["playbackIds"] = [
  {
    id: SAMPLE.playbackId,
    kind: "asset",
    targetId: SAMPLE.mediaId,
    workspaceId: SAMPLE.workspaceId,
    accessPolicy: "public",
    keySystems: null,
    accessRestrictions: {
      domains: { defaultPolicy: "deny", allow: ["example.com"], deny: [] },
      userAgents: { defaultPolicy: "allow", allow: [], deny: [] },
    },
    resolution: "720p",
    createdAt: at,
  },
];
const noTrack = { widthPx: null, heightPx: null, frameRate: null, languageCode: null, languageName: null, title: null };
const tracks: AssetRecord["tracks"] = [
  {
    ...noTrack,
    id: SAMPLE.videoTrackId,
    assetId: SAMPLE.mediaId,
    position: 0,
    kind: "video",
    widthPx: 1920,
    heightPx: 1080,
    frameRate: "30000/1001",
  },
  {
    ...noTrack,
    id: SAMPLE.audioTrackId,
    assetId: SAMPLE.mediaId,
    position: 1,
    kind: "audio",
    languageCode: "it",
    languageName: "Italian",
    title: "Original",
  },
];
const probed = {
  ...justCreated,
  title: "Harbour",
  creatorId: "editor-7",
  metadata: { campaign: "spring" },
  stage: "encoding" as const,
  progress: { percent: 10, stage: "encoding", renditions: [{ name: "v1080", percent: 10 }] },
  containerFormat: "mp4",
  durationMs: 70_040,
  widthPx: 1920,
  heightPx: 1080,
  frameRate: "30000/1001",
};

const RECORDS: [string, AssetRecord][] = [
  ["just created", { asset: justCreated, playbackIds, tracks: [], addedTracks: [], insights: [], isHeld: false }],
  [
    "being encoded, with everything set",
    { asset: probed, playbackIds, tracks, addedTracks: [], insights: [], isHeld: false },
  ],
  [
    "ready",
    {
      asset: { ...probed, status: "ready", stage: "done" },
      playbackIds,
      tracks,
      addedTracks: [],
      insights: [],
      isHeld: false,
    },
  ],
  [
    "failed before anything was known of it",
    {
      asset: {
        ...justCreated,
        status: "errored",
        errorCode: "source_not_found",
        errorMessage: "The source's server has no such file. (status 404)",
        errorFault: "source",
      },
      playbackIds,
      tracks: [],
      addedTracks: [],
      insights: [],
      isHeld: false,
    },
  ],
];

describe("events have the data that the catalogue declares", () => {
  test.each(RECORDS)("for a media that is %s", (_, record) => {
    for (const type of ["asset.created", "asset.ready", "asset.errored", "video.media.updated"] as const) {
      const { data } = mediaEvent(type, record, occurrence);
      expect(CATALOGUE[type].data.parse(data)).toEqual(data);
    }
    const { type, data } = deletedEvent(record, occurrence);
    expect(type).toBe("video.media.deleted");
    expect(CATALOGUE["video.media.deleted"].data.parse(data)).toEqual(data);
  });

  test("the example of an exhausted delivery has an existing reason and its message", () => {
    const { lastFailure } = CATALOGUE["webhook.delivery.exhausted"].example as {
      lastFailure: { reason: keyof typeof DELIVERY_FAILURES; message: string };
    };
    expect(DELIVERY_FAILURES[lastFailure.reason].message).toBe(lastFailure.message);
  });
});
