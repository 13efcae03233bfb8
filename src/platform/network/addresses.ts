/**
 * Which addresses belong to the public internet. After the IANA special-purpose address registries (RFC 6890 and what
 * was added to them since); what is not globally reachable, or only leads to another address, is not public.
 */

/** [first address, prefix length, what it is]. */
const CLOSED_IPV4: readonly (readonly [string, number, string])[] = [
  ["0.0.0.0", 8, "this network, RFC 791"],
  ["10.0.0.0", 8, "private, RFC 1918"],
  ["100.64.0.0", 10, "shared by carriers, RFC 6598"],
  ["127.0.0.0", 8, "loopback, RFC 1122"],
  ["168.63.129.16", 32, "a cloud's metadata service on a public number"],
  ["169.254.0.0", 16, "link-local and metadata services, RFC 3927"],
  ["172.16.0.0", 12, "private, RFC 1918"],
  ["192.0.0.0", 24, "protocol assignments, RFC 6890"],
  ["192.0.2.0", 24, "documentation, RFC 5737"],
  ["192.88.99.0", 24, "6to4 relays, RFC 7526"],
  ["192.168.0.0", 16, "private, RFC 1918"],
  ["198.18.0.0", 15, "benchmarking, RFC 2544"],
  ["198.51.100.0", 24, "documentation, RFC 5737"],
  ["203.0.113.0", 24, "documentation, RFC 5737"],
  ["224.0.0.0", 4, "multicast, RFC 5771"],
  ["240.0.0.0", 4, "reserved, RFC 1112, and broadcast"],
];

/** Closed parts of 2000::/3; everything outside of 2000::/3 is closed but for the forms that carry an IPv4 address. */
const CLOSED_IPV6: readonly (readonly [string, number, string])[] = [
  ["2001::", 23, "protocol assignments with Teredo, ORCHID and benchmarking, RFC 2928"],
  ["2001:db8::", 32, "documentation, RFC 3849"],
  ["2002::", 16, "6to4, abandoned by RFC 7526"],
  ["3fff::", 20, "documentation, RFC 9637"],
];
const GLOBAL_UNICAST = ["2000::", 3] as const;
const CARRIES_IPV4 = [
  ["::ffff:0:0", 96], // IPv4-mapped, RFC 4291 §2.5.5.2
  ["64:ff9b::", 96], // NAT64, RFC 6052: how an IPv6-only network reaches public IPv4
] as const;

const CLOSED_NAMES = ["localhost", "local", "internal", "home.arpa"];

/** True for host names that mean this machine or its own network wherever they are asked for (RFC 6761, 6762, 8375). */
export function isClosedName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return CLOSED_NAMES.some((closed) => name === closed || name.endsWith(`.${closed}`));
}

/**
 * The address that a URL's `hostname` spells, without brackets; null when it is a name. WHATWG parsing has already
 * turned every odd spelling of IPv4 (hexadecimal, octal, one number) into four decimal ones.
 */
export function addressLiteral(hostname: string): string | null {
  if (hostname.startsWith("[") && hostname.endsWith("]")) return hostname.slice(1, -1);
  return parseIpv4(hostname) === null ? null : hostname;
}

/** @param address IPv4 in dotted decimal or IPv6 without brackets; anything unreadable is not public */
export function isPublicAddress(address: string): boolean {
  const ipv4 = parseIpv4(address);
  if (ipv4 !== null) return isPublicIpv4(ipv4);
  const ipv6 = parseIpv6(address);
  if (ipv6 === null) return false;
  if (CARRIES_IPV4.some(([prefix, bits]) => inIpv6(ipv6, prefix, bits)))
    return isPublicIpv4(Number(ipv6 & 0xffff_ffffn));
  return inIpv6(ipv6, ...GLOBAL_UNICAST) && !CLOSED_IPV6.some(([prefix, bits]) => inIpv6(ipv6, prefix, bits));
}

function isPublicIpv4(address: number): boolean {
  return !CLOSED_IPV4.some(([prefix, bits]) => {
    const blockSize = 2 ** (32 - bits);
    return Math.floor(address / blockSize) === Math.floor((parseIpv4(prefix) ?? 0) / blockSize);
  });
}

function inIpv6(address: bigint, prefix: string, bits: number): boolean {
  const shift = BigInt(128 - bits);
  return address >> shift === (parseIpv6(prefix) ?? 0n) >> shift;
}

function parseIpv4(text: string): number | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((address, part) => address * 256 + Number(part), 0);
}

/** RFC 4291 §2.2: eight groups, at most one `::`, the last two groups perhaps in dotted decimal. */
function parseIpv6(text: string): bigint | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head, tail] = halves.map(groupsOf);
  if (head === null || head === undefined || tail === null) return null;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
  return groups.reduce((address, group) => (address << 16n) | BigInt(group), 0n);
}

function groupsOf(text: string): number[] | null {
  if (text === "") return [];
  const parts = text.split(":");
  const ipv4 = parseIpv4(parts.at(-1) ?? "");
  if (ipv4 !== null) parts.splice(-1, 1, Math.floor(ipv4 / 65_536).toString(16), (ipv4 % 65_536).toString(16));
  return parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part)) ? parts.map((part) => parseInt(part, 16)) : null;
}
