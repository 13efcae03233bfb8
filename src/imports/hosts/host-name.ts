/** Which hosts may be mapped to a migration. Pure. */
import { addressLiteral, isClosedName } from "../../platform/network/addresses.ts";

/** What this deployment is reached by. Empty = not set. */
export interface OwnHosts {
  publicUrl: string;
  /** Of the request, with its port. */
  requestHost: string;
  beaconDomain: string;
}

/** First labels of hosts that serve parts of the platform (src/hosts.ts). */
const PREFIXES = ["api", "stream", "images", "play", "live"];

/** Hosts of vendors: their names never lead here. */
const OF_VENDORS = [
  "mux.com",
  "cloudflarestream.com",
  "videodelivery.net",
  "api.video",
  "vimeo.com",
  "vimeocdn.com",
  "amazonaws.com",
  "cloudfront.net",
];

/** A name of two labels or more, each of letters, digits and hyphens (RFC 1123 §2.1). */
const NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The name as URLs have it: in lower case, with other alphabets in Punycode. Null = it is none, or has more than a name. */
export function readHostName(text: string): string | null {
  const trimmed = text.replace(/\.$/, "");
  if (/[/?#@:\\\s]/.test(trimmed) || !URL.canParse(`https://${trimmed}`)) return null;
  const { hostname } = new URL(`https://${trimmed}`);
  return NAME.test(hostname) && addressLiteral(hostname) === null ? hostname : null;
}

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

/**
 * Why a host cannot be mapped: it serves the platform, or no request for it can arrive here.
 *
 * @param host of `readHostName`
 * @returns words that follow the field's name; null = it can be
 */
export function refusalOf(host: string, own: OwnHosts): string | null {
  if (isClosedName(host)) return "must be a public name";
  if (isWithin(host, "workers.dev")) return "must not be a host of workers.dev";
  if (servesPlatform(host, own)) return "must not be a host that serves this platform";
  if (OF_VENDORS.some((domain) => isWithin(host, domain)))
    return "must be a host of your own: a vendor's cannot be pointed to this platform";
  return null;
}

/** Whether requests to a host are for the platform itself. Costs no look-up. */
export function servesPlatform(host: string, { publicUrl, requestHost, beaconDomain }: OwnHosts): boolean {
  if (beaconDomain !== "" && isWithin(host, beaconDomain.toLowerCase())) return true;
  const urls = [publicUrl, requestHost === "" ? "" : `https://${requestHost}`];
  const known = urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : []));
  return known.flatMap(withPrefixes).includes(host);
}

/** A host, and those of its domain that serve parts of the platform: of `api.example.com` and of `video.example.com`, also `stream.example.com`. */
function withPrefixes(host: string): string[] {
  const [, ...rest] = host.split(".");
  const domains = rest.length > 1 ? [host, rest.join(".")] : [host];
  return [host, ...domains.flatMap((domain) => PREFIXES.map((prefix) => `${prefix}.${domain}`))];
}
