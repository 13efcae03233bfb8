import { settingsOf } from "../../ai/settings/index.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { successWith } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { toRestrictions } from "../../tenancy/access/index.ts";
import { keySystemsFor } from "../../tenancy/drm/index.ts";
import { commitWithinLimits } from "../../tenancy/limits/index.ts";
import { BLANK_ASSET } from "./blank-asset.ts";
import { mediaEvent } from "./media-event.ts";
import { clipStatements, failedClip, requireClipSource } from "./clip-source.ts";
import { type Asset, assetInserts, type AssetRecord, isEdited, type PlaybackId, toMachine } from "./repository.ts";
import { startMachine } from "./start-machine.ts";
import { insertTracks } from "../tracks/store/repository.ts";
import { newTracks } from "../tracks/store/new-track.ts";
import { trackEvent } from "../tracks/store/to-track.ts";
import { planInsights } from "../insights/store/orders.ts";
import { startInsights } from "./start-insights.ts";
import { insertInsights, newInsight } from "../insights/store/repository.ts";
import { startTracks } from "./start-tracks.ts";
import type { CreateAsset, Inputs, SourceInput } from "./schemas.ts";
import { toCreatedMedia } from "./to-media.ts";

/**
 * Records an asset, with `asset.created`, and hands it to its machine.
 *
 * @throws {Problem} mp4_support_with_drm, duplicate_language_name, media_limit_reached, storage_limit_reached, clip_limit_reached, validation_failed, no_drm_configuration
 */
export async function createAsset(
  body: CreateAsset,
  { source, tracks }: Inputs,
  { env, workspaceId, publicUrl, now, after, keep }: CreateContext,
) {
  const db = openDatabase(env.DB);
  requireFilesWithoutDrm(body);
  const keySystems = await keySystemsFor(db, workspaceId, body);
  const { clipOf } = source;
  const clipped = clipOf === null ? null : await requireClipSource(db, workspaceId, { ...source, clipOf }, body);
  const asset: Asset = {
    ...newAsset(body, source, { workspaceId, publicUrl, now }),
    ...(clipped && { sourceAssetId: clipped.asset.id, mediaQuality: clipped.asset.mediaQuality }),
  };
  const clip = clipStatements(db, asset);
  const aiSettings = await settingsOf(db, workspaceId);
  const planned = planInsights(body, tracks, aiSettings, clipped === null ? undefined : givenTo(clipped));
  const addedTracks = newTracks(planned.tracks, { assetId: asset.id, isEdited: isEdited(asset) }, now);
  const playbackId: PlaybackId = {
    id: crypto.randomUUID(),
    kind: "asset",
    targetId: asset.id,
    workspaceId,
    accessPolicy: body.accessPolicy,
    keySystems,
    accessRestrictions: toRestrictions(body.accessRestrictions),
    resolution: null,
    createdAt: now,
  };
  const answer = successWith({
    playback_id: playbackId.id,
    data: toCreatedMedia({ asset, playbackIds: [playbackId], addedTracks }),
  });
  const created = { id: asset.id, answer };
  const insights = planned.requests.map((one) => newInsight(one, { assetId: asset.id, workspaceId }, now));
  const isHeld = clipped?.isHeld === true; // by a trigger
  const record = { asset, playbackIds: [playbackId], tracks: [], addedTracks, insights, isHeld };
  const event = mediaEvent("asset.created", record, { id: crypto.randomUUID(), atMs: now.getTime() });
  const statements = [
    ...assetInserts(db, asset, playbackId),
    ...insertTracks(db, addedTracks),
    ...insertInsights(db, insights),
    ...(clip === null ? [] : [clip.keep]),
    ...(await keep(created)),
  ];
  const when = () => ({ id: crypto.randomUUID(), atMs: now.getTime() });
  const events = [event, ...addedTracks.map((track) => trackEvent("created", track, workspaceId, when()))];
  const { wake } = await commitWithinLimits(env, workspaceId, "media", (limitCheck) =>
    commitWithEvents(
      env,
      [limitCheck, ...(clip === null ? [] : [clip.check]), ...statements],
      events.map((one) => ({ event: one })),
    ),
  ).catch((error: unknown) => {
    if (clip === null) throw error;
    return failedClip(db, asset, error);
  });
  after(wake());
  log("asset.created", { assetId: asset.id, workspaceId });
  // If this call is lost, the cron's sweep starts the machine.
  after(
    startMachine(env, toMachine(asset))
      .then(() => startTracks(env, addedTracks))
      .then(() => startInsights(env, insights)),
  );
  return created;
}

/** Subtitles that are available are cut with a clip (`addCutCaptions`). */
const givenTo = ({ addedTracks, insights }: AssetRecord) => ({
  addedTracks: addedTracks.filter(({ status }) => status === "available"),
  insights,
});

type OfPlaybackId = "accessRestrictions" | "drmConfigurationId";
type OfTracks = "subtitles";
type OfInsights = "summary" | "chapters" | "generateChapters" | "namedEntities" | "moderation";

/** The fields of a creation that become columns of the asset. */
export type AssetSettings = Omit<CreateAsset, "inputs" | OfPlaybackId | OfTracks | OfInsights>;

/** The compiler names a field of a creation that is not stored: it is a column, or is listed above. */
const toColumns = (settings: AssetSettings): Pick<Asset, keyof AssetSettings> => ({
  title: settings.title ?? null,
  creatorId: settings.creatorId ?? null,
  metadata: settings.metadata ?? {},
  accessPolicy: settings.accessPolicy,
  maxResolution: settings.maxResolution,
  mediaQuality: settings.mediaQuality,
  mp4Support: toMp4Support(settings.mp4Support),
  sourceAccess: settings.sourceAccess ?? false,
  optimizeAudio: settings.optimizeAudio ?? false,
});

/** @throws {Problem} mp4_support_with_drm: files for download are not encrypted */
export function requireFilesWithoutDrm({ accessPolicy, mp4Support }: Pick<CreateAsset, "accessPolicy" | "mp4Support">) {
  if (accessPolicy === "drm" && toMp4Support(mp4Support) !== null)
    throw new Problem("mp4_support_with_drm", "a media with DRM has no files for download");
}

/** As stored: null = no files. */
export const toMp4Support = (asked: CreateAsset["mp4Support"]): Asset["mp4Support"] =>
  asked === "none" ? null : (asked ?? null);

/** An asset as it is created from an URL or an upload. */
export function newAsset(
  settings: AssetSettings,
  source: Omit<SourceInput, "clipOf">,
  { workspaceId, publicUrl, now }: { workspaceId: string; publicUrl: string; now: Date },
): Asset {
  return {
    ...BLANK_ASSET,
    ...toColumns(settings),
    id: crypto.randomUUID(),
    workspaceId,
    sourceUrl: source.url,
    clipStartMs: source.clipStartMs,
    clipEndMs: source.clipEndMs,
    montage: source.montage,
    watermark: source.watermark,
    publicUrl,
    createdAt: now,
    updatedAt: now,
  };
}
