import type { Committed } from "../../events/webhooks/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { insertPlaybackIdIf, type PlaybackId, toRestrictions } from "../../tenancy/access/index.ts";
import { keySystemsFor } from "../../tenancy/drm/index.ts";
import { changeRecord } from "../assets/change-record.ts";
import type { CreatePlaybackId } from "./schemas.ts";

/** The list of them is not paged, and events contain all of them. */
const PLAYBACK_IDS_PER_MEDIA = 20;

/**
 * Adds a playback ID to a media, with `video.media.updated`. Null when there is no such media.
 *
 * @throws {Problem} playback_id_limit_reached, validation_failed
 */
export async function createPlaybackId(
  env: Env,
  key: { workspaceId: string; assetId: string },
  body: CreatePlaybackId,
  now: Date,
): Promise<{ playbackId: PlaybackId; committed: Committed } | null> {
  const { accessPolicy, accessRestrictions, resolution } = body;
  const keySystems = await keySystemsFor(openDatabase(env.DB), key.workspaceId, body).catch(asInvalidPolicy);
  const playbackId: PlaybackId = {
    id: crypto.randomUUID(),
    kind: "asset",
    targetId: key.assetId,
    workspaceId: key.workspaceId,
    accessPolicy,
    keySystems,
    accessRestrictions: toRestrictions(accessRestrictions),
    resolution: resolution ?? null,
    createdAt: now,
  };
  const changed = await changeRecord(env, key, now, (seen, db, still) => {
    if (seen.playbackIds.length >= PLAYBACK_IDS_PER_MEDIA)
      throw new Problem("playback_id_limit_reached", `a media has at most ${PLAYBACK_IDS_PER_MEDIA} playback IDs`);
    return {
      statements: [insertPlaybackIdIf(db, playbackId, still)],
      playbackIds: [...seen.playbackIds, playbackId],
    };
  });
  return changed && { playbackId, committed: changed.committed };
}

/** The contract has no 400 here (media contract, access rules): without a DRM configuration, the policy is refused. */
function asInvalidPolicy(error: unknown): never {
  if (!(error instanceof Problem && error.code === "no_drm_configuration")) throw error;
  const hint = "`drm` needs a DRM configuration: create one first with POST /v1/on-demand/drm-configurations";
  const fields = [{ field: "accessPolicy", message: "is invalid", hint }];
  throw new Problem("validation_failed", "validation failed", { fields });
}
