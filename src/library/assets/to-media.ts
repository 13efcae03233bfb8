import type { z } from "@hono/zod-openapi";
import { resolutionLabel } from "../../../protocol/ladder.ts";
import { recordOf } from "../../platform/http/record.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { AddedTrack } from "../tracks/store/repository.ts";
import type { GeneratedFacts } from "../tracks/store/tables.ts";
import { toAddedTrack, trackError } from "../tracks/store/to-track.ts";
import { isUploaded, uploadAddress } from "../sources/upload-address.ts";
import type { Asset, AssetRecord, Track } from "./repository.ts";
import { toInsight } from "../insights/store/to-insight.ts";
import { textUrl } from "./text-url.ts";
import { toPlaybackId } from "./to-playback-id.ts";
import type { MediaRecord, TrackRecord } from "../../records/media.ts";
import type { CreatedMedia, InputInfo } from "./schemas.ts";

const STAGE_STATUS = {
  created: "Created",
  downloading: "Downloading",
  validating: "Validating",
  encoding: "Processing",
  done: "Processing",
} as const;

/** `HH:MM:SS`, rounded to the second. */
function toDuration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

function toAspectRatio(widthPx: number, heightPx: number): string {
  const common = divisor(widthPx, heightPx);
  return `${widthPx / common}:${heightPx / common}`;
}

/** What tracks of the source have. Added ones have more (`toAddedTrack`). */
type SourceTrack = Omit<z.infer<typeof TrackRecord>, "default" | "forced" | "closedCaptions" | "captions" | "error">;

const toTrack = (track: Track) =>
  recordOf<SourceTrack>({
    id: track.id,
    type: track.kind,
    width: track.widthPx,
    height: track.heightPx,
    frameRate: track.frameRate,
    languageCode: track.languageCode,
    languageName: track.languageName,
    title: track.title,
    status: "available",
  });

function toStatus({ status, stage }: Pick<Asset, "status" | "stage">) {
  if (status === "ready") return "Ready";
  return status === "errored" ? "Failed" : STAGE_STATUS[stage];
}

/** The API's own host serves no pictures; its neighbour `images.` does (`src/hosts.ts`). */
const imageOrigin = (publicUrl: string) => publicUrl.replace(/^(https?:\/\/)api\./, "$1images.");

/** Where its pictures are; null = it has none. */
const imagesOf = ({ publicUrl }: Asset, playbackIds: AssetRecord["playbackIds"], isAudioOnly: boolean) =>
  isAudioOnly || playbackIds[0] === undefined ? null : `${imageOrigin(publicUrl)}/${playbackIds[0].id}`;

const toResult = ({ engine, model, version, languageCode, soundSeconds, units, costUsd, tookMs }: GeneratedFacts) => ({
  engine,
  ...(model === "" ? {} : { model }),
  ...(version === undefined ? {} : { version }),
  ...(languageCode === null ? {} : { languageCode }),
  soundSeconds,
  ...(units === undefined ? {} : { units }),
  costUsd,
  tookMs,
});

/** A subtitle track that was made of the sound (media contract, records). */
function toGenerated(track: AddedTrack, url: string | null) {
  const { id, languageCode, languageName, status, captions, generated } = track;
  const error = trackError(track);
  return {
    id,
    languageCode,
    languageName,
    status,
    ...(status !== "available" || url === null ? {} : { url }),
    ...(status === "preparing" ? { percent: generated?.percent ?? 0 } : {}),
    ...(captions?.generated === undefined ? {} : { result: toResult(captions.generated) }),
    ...(error === null ? {} : { error }),
  };
}

/** What `data` of a result is. */
type DataOf<Name extends "summary" | "chapters" | "namedEntities" | "moderation"> = NonNullable<
  NonNullable<z.infer<typeof MediaRecord>[Name]>["data"]
>;

export function toMedia({
  asset,
  playbackIds,
  tracks,
  addedTracks,
  insights,
  isHeld,
}: AssetRecord): z.infer<typeof MediaRecord> {
  const isAudioOnly = tracks.length > 0 && tracks.every((track) => track.kind === "audio");
  // Sound that has been replaced is not offered any more (`soundOf` of playback).
  const hasOtherSound = addedTracks.some(({ replacesSound, status }) => replacesSound && status === "available");
  const own = hasOtherSound ? tracks.filter(({ kind }) => kind !== "audio") : tracks;
  const size = asset.widthPx && asset.heightPx ? { widthPx: asset.widthPx, heightPx: asset.heightPx } : null;
  const images = imagesOf(asset, playbackIds, isAudioOnly);
  return recordOf<z.infer<typeof MediaRecord>>({
    thumbnail: images === null ? null : `${images}/thumbnail.png`,
    id: asset.id,
    workspaceId: asset.workspaceId,
    streamId: asset.streamId,
    sourceMediaId: asset.sourceAssetId,
    title: asset.title,
    creatorId: asset.creatorId,
    metadata: asset.metadata,
    mediaQuality: asset.mediaQuality,
    maxResolution: asset.maxResolution,
    sourceResolution: size && resolutionLabel(size),
    status: toStatus(asset),
    mp4Support: asset.mp4Support,
    sourceAccess: asset.sourceAccess,
    optimizeAudio: asset.optimizeAudio ? true : null,
    loudness: asset.loudness,
    playbackIds: playbackIds.map(toPlaybackId),
    tracks: [...own.map(toTrack), ...addedTracks.map(toAddedTrack)],
    generatedSubtitles: addedTracks.flatMap((track) =>
      track.generated ? [toGenerated(track, textUrl({ asset, playbackIds }, track.id))] : [],
    ),
    summary: toInsight<DataOf<"summary">>(insights, "summary"),
    chapters: toInsight<DataOf<"chapters">>(insights, "chapters"),
    namedEntities: toInsight<DataOf<"namedEntities">>(insights, "namedEntities"),
    moderation: toInsight<DataOf<"moderation">>(insights, "moderation", images),
    isHeld: isHeld ? (true as const) : null,
    isAudioOnly,
    subtitleAvailable: addedTracks.some(({ kind, status }) => kind === "subtitle" && status === "available"),
    duration: asset.durationMs === null ? null : toDuration(asset.durationMs),
    aspectRatio: size && toAspectRatio(size.widthPx, size.heightPx),
    frameRate: asset.frameRate,
    progress: asset.status === "errored" ? null : asset.progress,
    error:
      asset.errorCode === null
        ? null
        : { code: asset.errorCode, message: asset.errorMessage ?? "", fault: asset.errorFault ?? ("service" as const) },
    createdAt: toTimestamp(asset.createdAt),
    updatedAt: toTimestamp(asset.updatedAt),
  });
}

/** The response to a creation has its own schema (media contract, Records). */
export function toCreatedMedia({
  asset,
  playbackIds,
  addedTracks,
}: Pick<AssetRecord, "asset" | "playbackIds" | "addedTracks">): z.infer<typeof CreatedMedia> {
  return recordOf<z.infer<typeof CreatedMedia>>({
    id: asset.id,
    trial: false,
    status: "Created" as const,
    createdAt: toTimestamp(asset.createdAt),
    updatedAt: toTimestamp(asset.updatedAt),
    playbackIds: playbackIds.map(toPlaybackId),
    metadata: asset.metadata,
    title: asset.title,
    creatorId: asset.creatorId,
    mediaQuality: asset.mediaQuality,
    sourceAccess: asset.sourceAccess,
    maxResolution: asset.maxResolution,
    inputs: [
      ...(asset.montage?.files ?? [{ url: asset.sourceUrl }]).map(({ url }) => ({ type: "video", url })),
      ...(asset.watermark === null ? [] : [{ type: "watermark", url: asset.watermark.url }]),
      ...addedTracks.flatMap(({ kind, url }) => (url === null ? [] : [{ type: kind, url }])),
    ],
    optimizeAudio: asset.optimizeAudio,
  });
}

export function toInputInfo({ asset, tracks }: AssetRecord): z.infer<typeof InputInfo> {
  const file = {
    ...(asset.containerFormat === null ? {} : { containerFormat: asset.containerFormat }),
    tracks: tracks.map(toTrack),
  };
  const url = isUploaded(asset.sourceUrl) ? uploadAddress(asset) : asset.sourceUrl;
  return { configuration: { url }, file };
}
