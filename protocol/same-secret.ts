import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Compares two secrets in constant time. Comparing digests makes the time independent of their lengths. An empty or missing secret never
 * matches.
 */
export function isSameSecret(given: string, expected: string | undefined): boolean {
  if (expected === undefined || expected === "") return false;
  return timingSafeEqual(digest(given), digest(expected));
}
