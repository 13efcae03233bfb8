import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { Lasting } from "../../platform/single-flight.ts";
import { boundLookUp } from "../guessed-ids.ts";
import { type Resolved, resolvePlaybackId } from "../resolve.ts";
import { Viewer } from "../viewer.ts";

/** A request for a licence, or for what a player needs to ask for one. */
export interface LicenseRequest {
  request: Request;
  env: Env;
  ctx: Lasting;
  playbackId: string;
  keySystem: KeySystem;
}

/**
 * The content of the playback ID, if the request's token is for its licences and the playback ID offers the key system.
 *
 * @throws {Problem} playback_not_found, playback_unauthorized, forbidden, too_many_requests
 */
export async function admitLicense({ request, env, ctx, playbackId, keySystem }: LicenseRequest): Promise<Resolved> {
  const none = () => new Problem("playback_not_found", `no playback ID with licences of ${keySystem} has this id`);
  const resolved = await boundLookUp(request, env, playbackId, () => resolvePlaybackId(env.DB, ctx, playbackId));
  if (resolved === null) throw none();
  await new Viewer(request, new URL(request.url), null, env, ctx).admit(resolved.rules, true);
  const { accessPolicy, keySystems } = resolved.rules;
  if (accessPolicy !== "drm" || keySystems?.includes(keySystem) !== true) throw none();
  return resolved;
}
