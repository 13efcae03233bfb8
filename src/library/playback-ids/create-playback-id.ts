import { openDatabase } from "../../platform/database.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { insertPlaybackIdIf, type PlaybackId, toRestrictions } from "../../tenancy/access/index.ts";
import { keySystemsFor } from "../../tenancy/drm/index.ts";
import { changeRecord } from "../assets/change-record.ts";
import { playbackIdCreated } from "../assets/media-event.ts";
import { toPlaybackId } from "../assets/to-playback-id.ts";
import type { CreatePlaybackId } from "./schemas.ts";

/** The list of them is not paged, and events contain all of them. */
const PLAYBACK_IDS_PER_MEDIA = 20;

/**
 * Adds a playback ID to a media, with `video.playback_id.created` and `video.media.updated`.
 *
 * @throws {Problem} media_not_found, playback_id_limit_reached, validation_failed
 */
export async function createPlaybackId(
  assetId: string,
  body: CreatePlaybackId,
  { env, workspaceId, now, after, keep }: CreateContext,
) {
  const { accessPolicy, accessRestrictions, resolution } = body;
  const keySystems = await keySystemsFor(openDatabase(env.DB), workspaceId, body).catch(asInvalidPolicy);
  const playbackId: PlaybackId = {
    id: crypto.randomUUID(),
    kind: "asset",
    targetId: assetId,
    workspaceId,
    accessPolicy,
    keySystems,
    accessRestrictions: toRestrictions(accessRestrictions),
    resolution: resolution ?? null,
    createdAt: now,
  };
  const answer = success({ ...toPlaybackId(playbackId), resolution: playbackId.resolution });
  const created = { id: playbackId.id, answer };
  const changed = await changeRecord(env, { workspaceId, assetId }, now, async (seen, db, still) => {
    if (seen.playbackIds.length >= PLAYBACK_IDS_PER_MEDIA)
      throw new Problem("playback_id_limit_reached", `a media has at most ${PLAYBACK_IDS_PER_MEDIA} playback IDs`);
    return {
      statements: [insertPlaybackIdIf(db, playbackId, still), ...(await keep(created, still))],
      playbackIds: [...seen.playbackIds, playbackId],
      eventsBefore: (record, when) => [playbackIdCreated(playbackId, record, when())],
    };
  });
  after(orNotFound(changed, "media_not_found").committed.wake());
  return created;
}

/** The contract has no 400 here (media contract, access rules): without a DRM configuration, the policy is refused. */
function asInvalidPolicy(error: unknown): never {
  if (!(error instanceof Problem && error.code === "no_drm_configuration")) throw error;
  const hint = "`drm` needs a DRM configuration: create one first with POST /v1/on-demand/drm-configurations";
  const fields = [{ field: "accessPolicy", message: "is invalid", hint }];
  throw new Problem("validation_failed", "validation failed", { fields });
}
