import { readBytes } from "../../platform/http/read-bytes.ts";
import { Problem } from "../../platform/http/problems.ts";
import { askService, contentKeyOf, type ServiceVariable } from "../../tenancy/drm/index.ts";
import type { Resolved } from "../resolve.ts";
import { admitLicense, type LicenseRequest } from "./admit-license.ts";

/** A challenge has some kilobytes. */
const MAX_CHALLENGE_BYTES = 64 << 10;

/**
 * Passes a player's challenge on to the owner's licence service, and its licence back. The headers `x-content-id` and `x-key-ids` say what the token
 * is for: the service must give licences for these keys alone.
 *
 * @throws {Problem} as `admitLicense`; validation_failed for an empty body; body_too_large; drm_not_set_up, license_refused, license_service_failed
 */
export async function proxyLicense(asked: LicenseRequest, variable: ServiceVariable): Promise<Uint8Array<ArrayBuffer>> {
  const resolved = await admitLicense(asked);
  const challenge = await readBytes(asked.request, MAX_CHALLENGE_BYTES);
  if (challenge.byteLength === 0) {
    const fields = [{ field: "body", message: "must not be null", hint: "must be the challenge of the player" }];
    throw new Problem("validation_failed", "validation failed", { fields });
  }
  const targetId = targetOf(resolved);
  const { contentKey } = await contentKeyOf(asked.env, asked.ctx, targetId, "service");
  return await askService(asked.env, variable, {
    method: "POST",
    headers: {
      "content-type": "application/octet-stream",
      "x-content-id": targetId,
      "x-key-ids": contentKey.keyId,
      "x-playback-id": asked.playbackId,
    },
    body: challenge,
  });
}

/** FairPlay's application certificate, which a player needs for its challenge. @throws {Problem} as `proxyLicense` */
export async function proxyCertificate(asked: LicenseRequest): Promise<Uint8Array<ArrayBuffer>> {
  await admitLicense(asked);
  return await askService(asked.env, "DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL", { method: "GET" });
}

/** @throws {Problem} not_ready */
function targetOf({ kind, playable }: Resolved): string {
  if (kind === "asset") return playable.assetId;
  if (playable.session === null) throw new Problem("not_ready", "the stream has not been on air");
  return playable.session.id;
}
