import { isIP } from "node:net";

/** Groups of 16 bits of an IPv6 address: the smallest and the largest network that a site is given (RFC 6177). */
export const SMALLEST_SITE = 4;
export const LARGEST_SITE = 3;

/** The network that counts as one peer: an IPv4 address itself, or the first groups of an IPv6 address. Other text is its own network. */
export function networkOf(address: string, groups: number = SMALLEST_SITE): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  const text = mapped.split("%")[0]!.toLowerCase();
  if (isIP(text) !== 6) return text;
  const [head = "", tail] = text.split("::");
  const [start, rest] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const missing = tail === undefined ? 0 : 8 - start!.length - rest!.length;
  const all = [...start!, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...rest!];
  return all
    .slice(0, groups)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
