import { SignJWT } from "jose";
import type { Env } from "../../platform/env.ts";
import { serverKeyOf } from "./server-key.ts";

interface TokenRequest {
  workspaceId: string;
  playbackId: string;
  accessPolicy: "public" | "private" | "drm";
  /** Where the playback ID plays. */
  publicUrl: string;
  expiresInSeconds: number;
}

/**
 * Signs a playback token with the workspace's key that the platform has.
 *
 * @throws {Problem} signing_key_limit_reached
 */
export async function signPlaybackToken(
  env: Env,
  { workspaceId, playbackId, accessPolicy, publicUrl, expiresInSeconds }: TokenRequest,
  now: Date,
): Promise<{ token: string; keyId: string; expiresAt: Date }> {
  const { keyId, privateKey } = await serverKeyOf(env, workspaceId, now);
  const issuedAt = Math.floor(now.getTime() / 1000);
  // A token for licences opens the encrypted media too.
  const aud = `${accessPolicy === "drm" ? "drm" : "media"}:${playbackId}`;
  const claims = { kid: keyId, aud, iss: new URL(publicUrl).hostname, sub: workspaceId };
  const token = await new SignJWT({ ...claims, iat: issuedAt, exp: issuedAt + expiresInSeconds })
    .setProtectedHeader({ alg: "RS256", kid: keyId })
    .sign(privateKey);
  return { token, keyId, expiresAt: new Date((issuedAt + expiresInSeconds) * 1000) };
}
