import type { Protection } from "../media/cenc/content-key.ts";
import type { Env } from "../platform/env.ts";
import type { Lasting } from "../platform/single-flight.ts";
import type { AccessRules } from "../tenancy/access/index.ts";
import { contentKeyOf, keySourceOf, protectionOf } from "../tenancy/drm/index.ts";

/**
 * How the content of a playback ID is encrypted; null = it is not.
 *
 * @param targetId the asset, or the live session
 * @throws {Problem} drm_not_set_up, license_refused, license_service_failed, unavailable
 */
export async function protectionFor(
  env: Env,
  ctx: Lasting,
  { accessPolicy, keySystems }: AccessRules,
  targetId: string,
): Promise<Protection | null> {
  if (accessPolicy !== "drm") return null;
  const [first] = keySystems ?? [];
  if (first === undefined) throw new TypeError("an admitted playback ID with DRM has key systems");
  return protectionOf(await contentKeyOf(env, ctx, targetId, keySourceOf(first)), keySystems!);
}
