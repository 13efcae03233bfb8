import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { Database } from "../../platform/database.ts";
import { Problem } from "../../platform/http/problems.ts";
import { requireKeySystems } from "../../tenancy/drm/index.ts";
import type { CreateStream } from "./schemas.ts";

const FIELD = "inputMediaSettings.drmConfigurationId";

/**
 * The key systems of a new stream; null = it has no DRM. The contract has no policy `drm` for streams, so a stream with a DRM configuration is a
 * private one that is encrypted.
 *
 * @throws {Problem} validation_failed
 */
export async function streamKeySystems(
  db: Database,
  workspaceId: string,
  { playbackSettings, inputMediaSettings }: CreateStream,
): Promise<KeySystem[] | null> {
  const { drmConfigurationId = null, mediaPolicy } = inputMediaSettings;
  if (drmConfigurationId === null) return null;
  const policies = {
    "playbackSettings.accessPolicy": playbackSettings.accessPolicy,
    "inputMediaSettings.mediaPolicy": mediaPolicy,
  };
  const hint = "must be `private` for a stream with a DRM configuration";
  const fields = Object.entries(policies)
    .filter(([, policy]) => policy !== "private")
    .map(([field]) => ({ field, message: "is invalid", hint }));
  if (fields.length > 0) throw new Problem("validation_failed", "validation failed", { fields });
  return await requireKeySystems(db, workspaceId, drmConfigurationId, FIELD);
}
