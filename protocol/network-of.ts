import ipaddr from "ipaddr.js";

/** Groups of 16 bits of an IPv6 address: the smallest and the largest network that a site is given (RFC 6177). */
const SMALLEST_SITE = 4;
export const LARGEST_SITE = 3;

/** The network that counts as one peer: an IPv4 address itself, or the first groups of an IPv6 address. Other text is its own network. */
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
