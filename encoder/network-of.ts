import { isIP } from "node:net";

/**
 * The network that counts as one peer: an IPv4 address itself, or the first 64 bits of an IPv6 address, the smallest network that a site is
 * given (RFC 6177). Other text is its own network.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  const text = mapped.split("%")[0]!.toLowerCase();
  if (isIP(text) !== 6) return text;
  const [head = "", tail] = text.split("::");
  const [groups, rest] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const missing = tail === undefined ? 0 : 8 - groups!.length - rest!.length;
  const all = [...groups!, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...rest!];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
