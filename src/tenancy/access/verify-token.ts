import { compactVerify, errors } from "jose";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { judgeClaims, keyIdOf, type TokenRefusal, type TokenScope } from "./token.ts";

/** Claims of tokens whose signature this isolate has verified, by key and token. A signature stays valid; everything else is judged anew. */
const verified = new TtlCache<Record<string, unknown>>(512);
const VERIFIED_MS = 60_000;

/** The public half of a workspace's signing key; null when there is no such key, or it is revoked. */
export type FindKey = (keyId: string) => Promise<CryptoKey | null>;

export interface ValidToken {
  keyId: string;
  expiresAtMs: number;
}

/** Verifies a playback token. The algorithm is pinned to RS256. */
export async function verifyToken(
  token: string,
  scope: TokenScope,
  findKey: FindKey,
  nowMs: number,
): Promise<ValidToken | { refusal: TokenRefusal }> {
  const named = keyIdOf(token);
  if ("refusal" in named) return named;
  const { keyId } = named;
  const key = await findKey(keyId);
  if (key === null) return { refusal: "unknown key" };
  const claims = await claimsOf(token, keyId, key, nowMs);
  if (typeof claims === "string") return { refusal: claims };
  const judged = judgeClaims(claims, { ...scope, keyId }, nowMs);
  return "refusal" in judged ? judged : { keyId, expiresAtMs: judged.expiresAtMs };
}

async function claimsOf(
  token: string,
  keyId: string,
  key: CryptoKey,
  nowMs: number,
): Promise<Record<string, unknown> | TokenRefusal> {
  const cacheKey = `${keyId} ${token}`;
  const recent = verified.get(cacheKey, nowMs);
  if (recent !== undefined) return recent;
  try {
    const { payload } = await compactVerify(token, key, { algorithms: ["RS256"] });
    const claims: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(payload));
    if (typeof claims !== "object" || claims === null || Array.isArray(claims)) return "malformed";
    verified.set(cacheKey, claims as Record<string, unknown>, nowMs + VERIFIED_MS);
    return claims as Record<string, unknown>;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return "forged";
    if (error instanceof errors.JOSEError || error instanceof SyntaxError || error instanceof TypeError)
      return "malformed";
    throw error;
  }
}
