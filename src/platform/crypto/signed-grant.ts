/**
 * Grants: JSON Web Tokens (RFC 7519, HS256) with their bearer's permissions. They are signed with `JOB_SECRET`, so verifying one needs no
 * look-up.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import { secretList } from "../../../protocol/secrets.ts";

const ALGORITHM = "HS256";

/** What a grant is for, its claim `aud`. A token of one kind is refused as another one, whatever its other claims. */
export type GrantAudience = "encoder-job" | "live-session" | "upload-page" | "view-export";

/**
 * The longest life of a grant. Releases before 2026-11-27 signed grants without `aud`: one is judged by its other claims, as those releases did, if
 * it could be theirs. So they end with their own expiry, at most seven days after the deployment of this release.
 */
const LONGEST_LIFE_MS = 7 * 24 * 3600_000;

export interface Grant {
  /** Epoch ms. Not the claim `exp`, which `jose` compares in whole seconds. */
  expiresAt: number;
}

export type GrantRefusal = "malformed" | "forged" | "expired" | "foreign";

/**
 * @param jobSecret `env.JOB_SECRET`; the first of its secrets signs
 * @throws {UnusableSecret}
 */
export async function signGrant(jobSecret: string, audience: GrantAudience, grant: Grant): Promise<string> {
  const [secret] = secretList("JOB_SECRET", jobSecret);
  const token = new SignJWT({ ...grant }).setAudience(audience).setProtectedHeader({ alg: ALGORITHM });
  return await token.sign(keyOf(secret));
}

/**
 * The grant, if it was signed with one of the secrets.
 *
 * @param audience a grant of another kind is `foreign`
 * @param isMeant whether the grant is for the requested object; otherwise it is `foreign`
 * @throws {UnusableSecret}
 */
export async function readGrant<G extends Grant>(
  jobSecret: string,
  audience: GrantAudience,
  token: string,
  isMeant: (grant: G) => boolean,
  nowMs: number,
): Promise<G | GrantRefusal> {
  for (const secret of secretList("JOB_SECRET", jobSecret)) {
    const verified = await verify<G>(token, secret);
    if (verified === "forged") continue;
    if (verified === "malformed") return verified;
    const { aud, grant } = verified;
    const isOfKind = aud === undefined ? grant.expiresAt - nowMs <= LONGEST_LIFE_MS : aud === audience;
    if (!isOfKind || !isMeant(grant)) return "foreign";
    return grant.expiresAt > nowMs ? grant : "expired";
  }
  return "forged";
}

async function verify<G>(token: string, secret: string): Promise<{ aud: unknown; grant: G } | "malformed" | "forged"> {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), { algorithms: [ALGORITHM] });
    const { aud, ...grant } = payload;
    return { aud, grant: grant as G };
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return "forged";
    if (error instanceof errors.JOSEError) return "malformed";
    throw error;
  }
}

const keyOf = (secret: string): Uint8Array => new TextEncoder().encode(secret);
