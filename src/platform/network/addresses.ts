/**
 * Public internet addresses are those that `ipaddr.js` assigns to none of IANA's special-purpose blocks (RFC 6890 and its
 * successors). An IPv6 address that embeds an IPv4 address is public if the IPv4 address is.
 */
import ipaddr from "ipaddr.js";

/** A cloud's metadata service, on an address that IANA lists as public. */
const METADATA_SERVICE = "168.63.129.16";
/** IANA has assigned no other block of IPv6 for global unicast (RFC 4291 §2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
/** NAT64 (RFC 6052): how an IPv6-only network reaches public IPv4. */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96") as [ipaddr.IPv6, number];
/** Deprecated (RFC 4291 §2.5.5.1) and never public; `ipaddr.js` reads it as IPv4-mapped. */
const IPV4_COMPATIBLE = /^::\d+\./;

const CLOSED_NAMES = ["localhost", "local", "internal", "home.arpa"];

/** Whether a host name is reserved for the local machine or network (RFC 6761, 6762, 8375). */
export function isClosedName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return CLOSED_NAMES.some((closed) => name === closed || name.endsWith(`.${closed}`));
}

/**
 * The IP address in a URL's `hostname`, without brackets; null when it is a name. The WHATWG parser has already normalized other notations
 * of IPv4 (hexadecimal, octal, a single number) to dotted decimal.
 */
export function addressLiteral(hostname: string): string | null {
  if (hostname.startsWith("[") && hostname.endsWith("]")) return hostname.slice(1, -1);
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : null;
}

/** @param address IPv4 in dotted decimal or IPv6 without brackets and zone; anything unreadable is not public */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isPublicIpv4(ipaddr.IPv4.parse(address));
  if (address.includes("%") || IPV4_COMPATIBLE.test(address) || !ipaddr.IPv6.isValid(address)) return false;
  const ipv6 = ipaddr.IPv6.parse(address);
  if (ipv6.isIPv4MappedAddress()) return isPublicIpv4(ipv6.toIPv4Address());
  if (ipv6.match(NAT64)) return isPublicIpv4(new ipaddr.IPv4(ipv6.toByteArray().slice(-4)));
  return ipv6.match(GLOBAL_UNICAST) && ipv6.range() === "unicast";
}

const isPublicIpv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === "unicast" && address.toString() !== METADATA_SERVICE;
