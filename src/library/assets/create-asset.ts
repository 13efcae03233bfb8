import { commitWithEvents } from "../../events/webhooks/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { CreateContext, Created } from "../../platform/http/idempotency.ts";
import { log } from "../../platform/log.ts";
import { BLANK_ASSET } from "./blank-asset.ts";
import { mediaEvent } from "./media-event.ts";
import { type Asset, assetInserts, type PlaybackId, toMachine } from "./repository.ts";
import { startMachine } from "./start-machine.ts";
import type { CreateAsset, SourceInput } from "./schemas.ts";
import { toCreatedMedia } from "./to-media.ts";

/** Records an asset, with `asset.created`, and hands it to its machine. */
export async function createAsset(
  body: CreateAsset,
  source: SourceInput,
  { env, workspaceId, publicUrl, now, after, keep }: CreateContext,
): Promise<Created> {
  const db = openDatabase(env.DB);
  const asset = newAsset(body, source, workspaceId, publicUrl, now);
  const playbackId: PlaybackId = {
    id: crypto.randomUUID(),
    kind: "asset",
    targetId: asset.id,
    workspaceId,
    accessPolicy: "public",
    createdAt: now,
  };
  const answer = JSON.stringify({
    success: true,
    playback_id: playbackId.id,
    data: toCreatedMedia({ asset, playbackIds: [playbackId] }),
  });
  const created = { id: asset.id, answer };
  const record = { asset, playbackIds: [playbackId], tracks: [] };
  const event = mediaEvent("asset.created", record, { id: crypto.randomUUID(), atMs: now.getTime() });
  const statements = [...assetInserts(db, asset, playbackId), ...(await keep(created))];
  const { wake } = await commitWithEvents(env, statements, [{ event }]);
  after(wake());
  log("asset.created", { assetId: asset.id, workspaceId });
  // If this call is lost, the cron's sweep starts the machine.
  after(startMachine(env, toMachine(asset)));
  return created;
}

function newAsset(
  { title, creatorId, metadata, maxResolution, mediaQuality }: CreateAsset,
  source: SourceInput,
  workspaceId: string,
  publicUrl: string,
  now: Date,
): Asset {
  return {
    ...BLANK_ASSET,
    id: crypto.randomUUID(),
    workspaceId,
    title: title ?? null,
    creatorId: creatorId ?? null,
    metadata: metadata ?? {},
    accessPolicy: "public",
    maxResolution,
    mediaQuality,
    sourceUrl: source.url,
    clipStartMs: source.clipStartMs,
    clipEndMs: source.clipEndMs,
    publicUrl,
    createdAt: now,
    updatedAt: now,
  };
}
