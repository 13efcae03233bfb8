/** Playback tokens: JSON Web Tokens of a workspace's signing keys (media contract, signing keys and tokens). Pure. */
import { decodeProtectedHeader } from "jose";
import { isUuid } from "../../platform/uuid.ts";

/** Characters of a token. A token of the contract has about 700. */
const MAX_TOKEN_LENGTH = 4096;
/** Allowance for the clock of the token's signer. It does not extend `exp`. */
const NOT_BEFORE_LEEWAY_MS = 30_000;

/** Why a token is refused, in words for the developer who signed it. */
export const TOKEN_REFUSALS = {
  missing: "a playback ID that is not public needs a token",
  repeated: "more than one token was sent",
  "too long": `a token has at most ${MAX_TOKEN_LENGTH} characters`,
  malformed: "the token is not a JSON Web Token",
  algorithm: "the token must be signed with RS256",
  "unknown key": "the token's kid is not a signing key of this workspace",
  forged: "the token's signature is invalid",
  audience: "the token's aud must be media:{playbackId}",
  "license audience": "the token's aud must be drm:{playbackId}",
  workspace: "the token's sub must be empty or the workspace's id",
  unlimited: "the token has no exp",
  expired: "the token has expired",
  early: "the token is not valid yet",
} as const;
export type TokenRefusal = keyof typeof TOKEN_REFUSALS;

/** What the token must be for. */
export interface TokenScope {
  playbackId: string;
  workspaceId: string;
  purpose: TokenPurpose;
}

/** What is requested: content, content of a playback ID with DRM, or a licence. A token for licences opens the content that they decrypt too. */
export type TokenPurpose = "media" | "encrypted media" | "license";

const AUDIENCES: Record<TokenPurpose, readonly string[]> = {
  media: ["media"],
  "encrypted media": ["media", "drm"],
  license: ["drm"],
};

/** The id of the key that the token claims to be signed with. */
export function keyIdOf(token: string): { keyId: string } | { refusal: TokenRefusal } {
  if (token === "") return { refusal: "missing" };
  if (token.length > MAX_TOKEN_LENGTH) return { refusal: "too long" };
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    if (alg !== "RS256") return { refusal: "algorithm" };
    return typeof kid === "string" && isUuid(kid) ? { keyId: kid } : { refusal: "unknown key" };
  } catch {
    return { refusal: "malformed" };
  }
}

/** @param claims of a token whose signature is valid */
export function judgeClaims(
  claims: Record<string, unknown>,
  { playbackId, workspaceId, purpose, keyId }: TokenScope & { keyId: string },
  nowMs: number,
): { expiresAtMs: number } | { refusal: TokenRefusal } {
  const { kid, aud, sub, exp, nbf } = claims;
  if (kid !== undefined && kid !== keyId) return { refusal: "unknown key" };
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!AUDIENCES[purpose].some((kind) => audiences.includes(`${kind}:${playbackId}`)))
    return { refusal: purpose === "license" ? "license audience" : "audience" };
  if (sub !== undefined && sub !== "" && sub !== workspaceId) return { refusal: "workspace" };
  if (!isTime(exp)) return { refusal: "unlimited" };
  if (exp * 1000 <= nowMs) return { refusal: "expired" };
  if (nbf !== undefined && (!isTime(nbf) || nbf * 1000 > nowMs + NOT_BEFORE_LEEWAY_MS)) return { refusal: "early" };
  return { expiresAtMs: exp * 1000 };
}

/** Epoch seconds; fractions are permitted (RFC 7519 §2, NumericDate). */
const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
