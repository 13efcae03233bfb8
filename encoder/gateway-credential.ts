/**
 * What an ingest gateway and the Worker show each other: `<gateway id>.<HMAC-SHA256 of the id under ENCODER_SECRET, Base64url>`. A gateway
 * holds its own credential and never `ENCODER_SECRET`, so a stolen one speaks for that gateway alone and is revoked alone
 * (`REVOKED_GATEWAYS`).
 */
import { createHmac } from "node:crypto";

export const GATEWAY_ID = /^[A-Za-z0-9_-]{1,64}$/;
const CREDENTIAL = /^([A-Za-z0-9_-]{1,64})\.[A-Za-z0-9_-]{43}$/;

/** @param encoderSecret one secret, not a list of them */
export function gatewayCredential(encoderSecret: string, gatewayId: string): string {
  const mac = createHmac("sha256", encoderSecret).update(`ingest gateway ${gatewayId}`).digest("base64url");
  return `${gatewayId}.${mac}`;
}

/** The gateway that a credential claims to be of; null when the text has not the form of one. */
export const gatewayIdOf = (credential: string): string | null => CREDENTIAL.exec(credential)?.[1] ?? null;
