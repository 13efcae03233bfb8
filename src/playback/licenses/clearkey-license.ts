import { z } from "@hono/zod-openapi";
import { fromBase64Url, toBase64Url } from "../../../protocol/base64.ts";
import { toHex } from "../../../protocol/hex.ts";
import { uuidBytes } from "../../media/cenc/content-key.ts";
import { API_JSON } from "../../platform/http/json-bounds.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { readBoundedJson } from "../../platform/http/read-json.ts";
import { Problem } from "../../platform/http/problems.ts";
import { contentKeyOf, findContentKey, type MediaKey } from "../../tenancy/drm/index.ts";
import { isOfStream } from "../repository.ts";
import type { Resolved } from "../resolve.ts";
import { admitLicense, type LicenseRequest } from "./admit-license.ts";

const KEY_ID_BYTES = 16;
/** A media has one key; a player of a stream may ask for those of several broadcasts. */
const MAX_KEYS = 16;

/** The request and the licence of ClearKey are JSON (W3C Encrypted Media Extensions §9.1.3, §9.1.4). */
export const ClearKeyRequest = z
  .object({
    kids: z
      .array(z.string().refine((text) => keyIdOf(text) !== null, hinted("is invalid", "must be 16 bytes in Base64url")))
      .min(1)
      .max(MAX_KEYS)
      .openapi({ description: "Key ids", example: ["DzscLU5fSmuMfZ4PGis8TQ"] }),
    type: z
      .enum(["temporary", "persistent-license"])
      .default("temporary")
      .openapi({ description: "Licences are `temporary` in any case" }),
  })
  .openapi("ClearKeyRequest");

export const ClearKeyLicense = z
  .object({
    keys: z.array(z.object({ kty: z.literal("oct"), kid: z.string(), k: z.string() })),
    type: z.literal("temporary"),
  })
  .openapi("ClearKeyLicense");

/**
 * A licence with the keys that the playback ID has, of those that are asked for.
 *
 * @throws {Problem} as `admitLicense`; validation_failed, body_too_large; license_refused when it has none of them; unavailable
 */
export async function clearKeyLicense(asked: LicenseRequest): Promise<z.infer<typeof ClearKeyLicense>> {
  const resolved = await admitLicense(asked);
  const { kids } = await readBoundedJson(ClearKeyRequest, asked.request, API_JSON);
  const keyIds = [...new Set(kids.map((kid) => keyIdOf(kid)!))];
  const found = await Promise.all(keyIds.map((keyId) => findKey(asked, resolved, keyId)));
  const keys = found.flatMap((key) => (key === null ? [] : [toJwk(key)]));
  if (keys.length === 0) throw new Problem("license_refused", "this playback ID has no key with such an id");
  return { keys, type: "temporary" };
}

/** UUID of a key id in Base64url; null for anything else. */
function keyIdOf(text: string): string | null {
  const bytes = fromBase64Url(text.replace(/=+$/, ""));
  if (bytes?.byteLength !== KEY_ID_BYTES) return null;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const toJwk = ({ contentKey: { keyId, key } }: MediaKey) => ({
  kty: "oct" as const,
  kid: toBase64Url(uuidBytes(keyId)),
  k: toBase64Url(key),
});

/** The key, if it is ClearKey's and of the playback ID's content; null otherwise. The keys of other key systems are never sent. */
async function findKey({ env, ctx }: LicenseRequest, resolved: Resolved, keyId: string): Promise<MediaKey | null> {
  if (resolved.kind === "asset") {
    const key = await contentKeyOf(env, ctx, resolved.playable.assetId, "platform");
    return key.contentKey.keyId === keyId ? key : null;
  }
  const key = await findContentKey(env, ctx, keyId).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "playback_not_found") return null;
    throw error;
  });
  if (key?.source !== "platform") return null;
  return (await isOfStream(env.DB, resolved.playable.streamId, key.targetId)) ? key : null;
}
