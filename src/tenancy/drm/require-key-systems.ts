import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { Database } from "../../platform/database.ts";
import { Problem } from "../../platform/http/problems.ts";
import { findConfiguration } from "./configurations.ts";

/**
 * The key systems of a DRM configuration, for a new playback ID or stream.
 *
 * @param id null = the workspace's oldest configuration
 * @param field of the request, for problems
 * @throws {Problem} validation_failed for an id that the workspace does not have; no_drm_configuration
 */
export async function requireKeySystems(
  db: Database,
  workspaceId: string,
  id: string | null,
  field = "drmConfigurationId",
): Promise<KeySystem[]> {
  const found = await findConfiguration(db, workspaceId, id?.toLowerCase() ?? null);
  if (found !== null) return found.keySystems;
  if (id === null) throw new Problem("no_drm_configuration", "create one first: POST /v1/on-demand/drm-configurations");
  const hint = "must be the id of a DRM configuration of this workspace";
  throw new Problem("validation_failed", "validation failed", { fields: [{ field, message: "is invalid", hint }] });
}

interface Policy {
  accessPolicy: "public" | "private" | "drm";
  drmConfigurationId?: string | null | undefined;
}

/**
 * The same for the playback ID of a media; null unless its policy is `drm`.
 *
 * @throws {Problem} also validation_failed for a configuration with another policy, which would not protect anything
 */
export async function keySystemsFor(
  db: Database,
  workspaceId: string,
  { accessPolicy, drmConfigurationId = null }: Policy,
  field = "drmConfigurationId",
): Promise<KeySystem[] | null> {
  if (accessPolicy === "drm") return await requireKeySystems(db, workspaceId, drmConfigurationId, field);
  if (drmConfigurationId === null) return null;
  const hint = "must be absent unless `accessPolicy` is `drm`";
  throw new Problem("validation_failed", "validation failed", { fields: [{ field, message: "is invalid", hint }] });
}
