/**
 * Permits: signatures in the paths of private playback, which a manifest hands on to the URLs inside it. Viewers with different tokens of one
 * signing key get the same permit within an hour, so a CDN stores each segment once (docs/decisions/0064-permits-in-paths.md).
 */
import { createHmac } from "node:crypto";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import { secretList } from "../../../protocol/secrets.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";

const SLOT_MS = 3600_000;
/** Time for pauses, beyond the duration of the media. */
const SPARE_MS = 3600_000;
const MAC_BYTES = 16;
const KEPT_MS = 60_000;

/** What a permit grants. */
export interface Permit {
  playbackId: string;
  /** The signing key whose token the permit was made for: it ends with the key. */
  keyId: string;
  /** Epoch ms, in whole seconds. */
  expiresAtMs: number;
}

/** `<expiry, epoch seconds>-<key id without hyphens>-<MAC>`. Without leading zeros: each permit has one form, and so each resource one address. */
export const PERMIT_FORM = "[1-9][0-9]{0,11}-[0-9a-f]{32}-[0-9a-f]{32}";
const FORM = /^([1-9][0-9]{0,11})-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([0-9a-f]{32})$/;

/**
 * The expiry of a permit made now: the end of an hour, one to two hours after the media would end.
 *
 * @param lastsMs duration of the media
 */
export const permitExpiry = (nowMs: number, lastsMs: number): number =>
  Math.ceil((nowMs + lastsMs + SPARE_MS) / SLOT_MS) * SLOT_MS;

/** @throws {UnusableSecret} */
export function signPermit(jobSecret: string, permit: Permit): string {
  const [secret] = secretList("JOB_SECRET", jobSecret);
  const mac = macOf(secret, permit);
  return `${permit.expiresAtMs / 1000}-${permit.keyId.replaceAll("-", "")}-${mac}`;
}

/** Permits that this isolate has verified, with their playback IDs. */
const verified = new TtlCache<Permit>(1024);

/**
 * The permit, if it was signed for the playback ID. The caller checks the key.
 *
 * @throws {UnusableSecret}
 */
export function readPermit(
  jobSecret: string,
  playbackId: string,
  text: string,
  nowMs: number,
): Permit | "forged" | "expired" {
  const cacheKey = `${playbackId} ${text}`;
  const recent = verified.get(cacheKey, nowMs);
  const permit = recent ?? verify(jobSecret, playbackId, text);
  if (permit === null) return "forged";
  if (recent === undefined) verified.set(cacheKey, permit, nowMs + KEPT_MS);
  return permit.expiresAtMs > nowMs ? permit : "expired";
}

function verify(jobSecret: string, playbackId: string, text: string): Permit | null {
  const [, seconds, a, b, c, d, e, mac = ""] = FORM.exec(text) ?? [];
  if (seconds === undefined) return null;
  const permit = { playbackId, keyId: [a, b, c, d, e].join("-"), expiresAtMs: Number(seconds) * 1000 };
  const isSigned = secretList("JOB_SECRET", jobSecret).some((secret) => isSameSecret(mac, macOf(secret, permit)));
  return isSigned ? permit : null;
}

function macOf(secret: string, { playbackId, keyId, expiresAtMs }: Permit): string {
  const text = ["sluice playback permit", playbackId, keyId, expiresAtMs].join("\n");
  return createHmac("sha256", secret).update(text).digest().toString("hex", 0, MAC_BYTES);
}
