/**
 * Credential of an ingest gateway, derived from `ENCODER_SECRET` and never stored: `<claims>.<proof>.<push token>`. A gateway has only its
 * own credential, not `ENCODER_SECRET`. A stolen credential is valid for that gateway only, cannot register other hosts, and can be revoked
 * individually (`REVOKED_GATEWAYS`).
 */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { fromBase64Url, toBase64Url } from "./base64.ts";

export const GATEWAY_ID = /^[A-Za-z0-9_-]{1,64}$/;
const CREDENTIAL = /^([A-Za-z0-9_-]{1,2000})\.[A-Za-z0-9_-]{43}\.([A-Za-z0-9_-]{43})$/;

const Claims = z.object({
  id: z.string().regex(GATEWAY_ID),
  /** Hosts, in lower case, that the gateway may register in its URLs for broadcasters and the Worker. */
  hosts: z.array(z.string().min(1).max(253)).max(8),
});
export type GatewayClaims = z.infer<typeof Claims>;

/**
 * @param encoderSecret one secret, not a list of them
 * @param hosts at most 8; without hosts the gateway cannot register any URL
 */
export function gatewayCredential(encoderSecret: string, id: string, hosts: readonly string[] = []): string {
  const claims = { id, hosts: hosts.map((host) => host.toLowerCase()) } satisfies GatewayClaims;
  const payload = toBase64Url(new TextEncoder().encode(JSON.stringify(claims)));
  return `${payload}.${hmac(encoderSecret, `ingest gateway ${payload}`)}.${pushToken(encoderSecret, id)}`;
}

/** Token with which the Worker authenticates pushes to a gateway: the last part of that gateway's credential. */
export const pushToken = (encoderSecret: string, id: string): string => hmac(encoderSecret, `push to gateway ${id}`);

/** Parses a credential without verifying it; null when it is malformed. */
export function readGatewayCredential(credential: string): (GatewayClaims & { pushToken: string }) | null {
  const [, payload, token] = CREDENTIAL.exec(credential) ?? [];
  if (payload === undefined || token === undefined) return null;
  try {
    const claims = Claims.safeParse(JSON.parse(new TextDecoder().decode(fromBase64Url(payload) ?? undefined)));
    return claims.success ? { ...claims.data, pushToken: token } : null;
  } catch {
    return null;
  }
}

/** The host of a URL of any scheme, as listed in claims. */
export const hostOf = (url: string): string => new URL(url).hostname.toLowerCase();

const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("base64url");
