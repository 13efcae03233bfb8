import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Compares two secrets in constant time. Their digests are compared, so the time does not depend on their lengths either. An empty or
 * missing secret equals nothing.
 */
export function isSameSecret(given: string, expected: string | undefined): boolean {
  if (expected === undefined || expected === "") return false;
  return timingSafeEqual(digest(given), digest(expected));
}
