import { sha256Hex } from "./hash.ts";

/** A UUID that follows from what it names (RFC 9562 §5.8), so that whoever makes the thing twice makes one. */
export async function derivedId(...parts: (string | number)[]): Promise<string> {
  const hex = await sha256Hex(parts.join("\n"));
  const variant = ((Number.parseInt(hex[16]!, 16) & 0b0011) | 0b1000).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
