import { sha256Hex } from "./hash.ts";

/** A UUID derived from its parts (UUIDv8, RFC 9562 §5.8), so that a repeated creation gets the same id. */
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
