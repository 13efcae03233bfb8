/** Restrictions of a playback ID by domain and user agent (media contract, access rules). Pure. */

/** `allow` applies under the default policy `deny`, and `deny` under `allow`. */
export interface Rules {
  defaultPolicy: "allow" | "deny";
  allow: string[];
  deny: string[];
}

export interface AccessRestrictions {
  /** Host names; `*.example.com` matches every subdomain of `example.com`, and not `example.com`. */
  domains: Rules;
  /** Parts of the header `User-Agent`, compared without case. */
  userAgents: Rules;
}

/** Request headers that restrictions are checked against; null = not sent. */
export interface RequestSource {
  /** Host name of the request's own URL. */
  ownHost: string;
  origin: string | null;
  referer: string | null;
  userAgent: string | null;
}

const OPEN_RULES: Rules = { defaultPolicy: "allow", allow: [], deny: [] };
export const OPEN_RESTRICTIONS: AccessRestrictions = { domains: OPEN_RULES, userAgents: OPEN_RULES };

/** Whether the rules permit every request. */
export const isOpen = ({ defaultPolicy, deny }: Rules): boolean => defaultPolicy === "allow" && deny.length === 0;

/** @returns what the request is refused for; null when it is permitted */
export function refusedFor(restrictions: AccessRestrictions, source: RequestSource): "domain" | "user agent" | null {
  if (!isDomainPermitted(restrictions.domains, source)) return "domain";
  return isUserAgentPermitted(restrictions.userAgents, source.userAgent) ? null : "user agent";
}

/** A request of the platform's own page is permitted, because the page was checked when it was loaded. */
function isDomainPermitted(rules: Rules, source: RequestSource): boolean {
  if (isOpen(rules)) return true;
  const host = embeddingHost(source);
  if (host !== null && host === normalizeHost(source.ownHost)) return true;
  const isListed = (domains: string[]) => host !== null && domains.some((domain) => matchesDomain(domain, host));
  return rules.defaultPolicy === "allow" ? !isListed(rules.deny) : isListed(rules.allow);
}

function isUserAgentPermitted(rules: Rules, userAgent: string | null): boolean {
  const sent = (userAgent ?? "").toLowerCase();
  const isListed = (parts: string[]) => parts.some((part) => sent.includes(part.toLowerCase()));
  return rules.defaultPolicy === "allow" ? !isListed(rules.deny) : isListed(rules.allow);
}

/**
 * The host of the page that plays. Browsers send `Origin` with cross-origin requests of scripts, `null` from sandboxed frames, and only
 * `Referer` with those of media elements and images (`test/e2e/pages/private.ts`).
 */
function embeddingHost({ origin, referer }: RequestSource): string | null {
  return hostOfUrl(origin) ?? hostOfUrl(referer);
}

function hostOfUrl(url: string | null): string | null {
  if (url === null || !/^https?:\/\//i.test(url)) return null;
  try {
    return normalizeHost(new URL(url).hostname);
  } catch {
    return null;
  }
}

function matchesDomain(domain: string, host: string): boolean {
  const isWildcard = domain.startsWith("*.");
  const name = hostOfUrl(`https://${isWildcard ? domain.slice(2) : domain}`);
  if (name === null) return false;
  return isWildcard ? host.endsWith(`.${name}`) : host === name;
}

/** `hostname` of the URL parser is in lower case and in Punycode. A trailing dot names the same host (RFC 3986 §3.2.2). */
const normalizeHost = (hostname: string): string => hostname.replace(/\.$/, "").toLowerCase();

/** Whether the text is a host name with a dot, optionally after `*.`, without scheme, port and path. */
export function isDomainRule(text: string): boolean {
  const name = text.startsWith("*.") ? text.slice(2) : text;
  if (/[\s/:@?#\\%*,]/.test(name) || name.startsWith(".") || name.includes("..")) return false;
  const host = hostOfUrl(`https://${name}`);
  return host !== null && text.replace(/\.$/, "").includes(".") && host !== "";
}
