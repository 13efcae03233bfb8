/**
 * Grants: JSON Web Tokens (RFC 7519, HS256) with their bearer's permissions. They are signed with `JOB_SECRET`, so verifying one needs no
 * look-up.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import { secretList } from "../../../protocol/secrets.ts";

const ALGORITHM = "HS256";

export interface Grant {
  /** Epoch ms. Not the claim `exp`, which `jose` compares in whole seconds. */
  expiresAt: number;
}

export type GrantRefusal = "malformed" | "forged" | "expired" | "foreign";

/**
 * @param jobSecret `env.JOB_SECRET`; the first of its secrets signs
 * @throws {UnusableSecret}
 */
export async function signGrant(jobSecret: string, grant: Grant): Promise<string> {
  const [secret] = secretList("JOB_SECRET", jobSecret);
  return await new SignJWT({ ...grant }).setProtectedHeader({ alg: ALGORITHM }).sign(keyOf(secret));
}

/**
 * The grant, if it was signed with one of the secrets.
 *
 * @param isMeant whether the grant is for the requested object; otherwise it is `foreign`
 * @throws {UnusableSecret}
 */
export async function readGrant<G extends Grant>(
  jobSecret: string,
  token: string,
  isMeant: (grant: G) => boolean,
  nowMs: number,
): Promise<G | GrantRefusal> {
  for (const secret of secretList("JOB_SECRET", jobSecret)) {
    const grant = await verify<G>(token, secret);
    if (grant === "forged") continue;
    if (grant === "malformed") return grant;
    if (!isMeant(grant)) return "foreign";
    return grant.expiresAt > nowMs ? grant : "expired";
  }
  return "forged";
}

async function verify<G>(token: string, secret: string): Promise<G | "malformed" | "forged"> {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), { algorithms: [ALGORITHM] });
    return payload as G;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return "forged";
    if (error instanceof errors.JOSEError) return "malformed";
    throw error;
  }
}

const keyOf = (secret: string): Uint8Array => new TextEncoder().encode(secret);
