/** The pages that alone may show a video, as domain rules of its new media. Pure. */
import { isDomainRule } from "../../tenancy/access/index.ts";

/** As many as a playback ID may have. */
const MAX_DOMAINS = 50;
const MAX_LENGTH = 255;

export interface Domains {
  allow: string[];
  /** Origins of the source that no rule here can say: their pages may not show the media. */
  dropped: number;
}

/**
 * A host with a port or without a dot is no rule here: without the port it would let other pages play.
 *
 * @returns null = every page may show it
 */
export function domainsOf(origins: readonly string[] | null | undefined): Domains | null {
  if (origins == null || origins.length === 0) return null;
  const hosts = [
    ...new Set(
      origins.map((origin) =>
        origin
          .trim()
          .replace(/^https?:\/\//i, "")
          .replace(/\/$/, "")
          .toLowerCase(),
      ),
    ),
  ];
  const allow = hosts.filter((host) => host.length <= MAX_LENGTH && isDomainRule(host)).slice(0, MAX_DOMAINS);
  return { allow, dropped: hosts.length - allow.length };
}
