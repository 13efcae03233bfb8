import ipaddr from "ipaddr.js";

/** Prefix lengths in 16-bit groups of the smallest and largest IPv6 network assigned to a site (RFC 6177). */
const SMALLEST_SITE = 4;
export const LARGEST_SITE = 3;

/** The network treated as one peer: an IPv4 address, or a prefix of an IPv6 address. Other text is returned unchanged. */
export function networkOf(address: string, groups: number = SMALLEST_SITE): string {
  const text = address.split("%")[0]!.toLowerCase();
  if (!ipaddr.IPv6.isValid(text)) return text;
  const ipv6 = ipaddr.IPv6.parse(text);
  if (ipv6.isIPv4MappedAddress()) return ipv6.toIPv4Address().toString();
  return ipv6.parts
    .slice(0, groups)
    .map((group) => group.toString(16))
    .join(":");
}
