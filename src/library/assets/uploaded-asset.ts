import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { RequestedMark } from "../../media/edits/watermark.ts";
import type { Montage } from "../../media/edits/montage.ts";
import type { Database, Statement } from "../../platform/database.ts";
import { insertPlaybackId, toRestrictions } from "../../tenancy/access/index.ts";
import { uploadedSourceUrl } from "../sources/upload-address.ts";
import { type AssetSettings, newAsset } from "./create-asset.ts";
import { type Asset, type AssetForMachine, insertAssetOnce, type PlaybackId, toMachine } from "./repository.ts";
import type { CreateAsset } from "./schemas.ts";

/** An upload, as far as its media is concerned. */
interface UploadedFile {
  id: string;
  workspaceId: string;
  playbackId: string;
  publicUrl: string;
  settings: AssetSettings &
    Pick<CreateAsset, "accessRestrictions"> & {
      startTime?: number | undefined;
      endTime?: number | undefined;
      keySystems?: KeySystem[] | undefined;
      montage?: Montage | undefined;
      watermark?: RequestedMark | undefined;
    };
}

/** The media of an upload, with the upload's id, which waits for its file. The inserts are repeatable. */
export function uploadedAsset(
  db: Database,
  { id, workspaceId, playbackId, publicUrl, settings }: UploadedFile,
  now: Date,
): { asset: Asset; inserts: Statement[]; forMachine: AssetForMachine } {
  const { startTime = 0, endTime, montage = null, watermark = null } = settings;
  const range = {
    clipStartMs: Math.round(startTime * 1000),
    clipEndMs: endTime === undefined ? null : Math.round(endTime * 1000),
  };
  const whole = { clipStartMs: 0, clipEndMs: null };
  const source = { url: uploadedSourceUrl(id), ...(montage === null ? range : whole), montage, watermark };
  const asset = { ...newAsset(settings, source, { workspaceId, publicUrl, now }), id, status: "waiting" as const };
  const playback: PlaybackId = {
    id: playbackId,
    kind: "asset",
    targetId: id,
    workspaceId,
    accessPolicy: settings.accessPolicy,
    keySystems: settings.keySystems ?? null,
    accessRestrictions: toRestrictions(settings.accessRestrictions),
    resolution: null,
    createdAt: now,
  };
  const inserts = [insertAssetOnce(db, asset), insertPlaybackId(db, playback).onConflictDoNothing()];
  return { asset, inserts, forMachine: toMachine(asset) };
}
