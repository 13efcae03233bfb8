/** The code space of CEA-708 (CTA-708-E §7). */

/** EXT1: the next code is of the extended sets. */
export const EXTENSION = 0x10;
const VARIABLE = 0x90;

const COMMAND_BYTES: Record<number, number> = { 0x8e: 0, 0x8f: 0, 0x90: 2, 0x91: 3, 0x92: 2, 0x97: 4 };
const EXTENDED: Record<number, string> = {
  0x20: " ",
  0x21: "\u00a0",
  0x25: "…",
  0x2a: "Š",
  0x2c: "Œ",
  0x30: "█",
  0x31: "‘",
  0x32: "’",
  0x33: "“",
  0x34: "”",
  0x35: "•",
  0x39: "™",
  0x3a: "š",
  0x3c: "œ",
  0x3d: "℠",
  0x3f: "Ÿ",
  0x76: "⅛",
  0x77: "⅜",
  0x78: "⅝",
  0x79: "⅞",
  0x7a: "│",
  0x7b: "┐",
  0x7c: "└",
  0x7d: "─",
  0x7e: "┘",
  0x7f: "┌",
};

/** Bytes of the parameters of a code. @param next the byte behind it, which gives the size of a command of variable length */
export function parameterBytes(isExtended: boolean, code: number, next: number): number {
  if (isExtended) {
    if (code < 0x20) return code >> 3; // C2
    if (code < 0x80 || code >= 0xa0) return 0; // G2, G3
    return code < 0x88 ? 4 : code < VARIABLE ? 5 : 1 + (next & 0x3f); // C3
  }
  if (code < 0x20) return code < 0x10 ? 0 : code < 0x18 ? 1 : 2; // C0
  if (code < 0x80 || code >= 0xa0) return 0; // G0, G1
  if (code < 0x88) return 0;
  return code >= 0x98 ? 6 : (COMMAND_BYTES[code] ?? (code < 0x8e ? 1 : 0)); // C1
}

/** The character of a code; "" for commands. Characters of the extended sets that are not assigned are shown as "_" (§7.1.8). */
export function charactersOf(isExtended: boolean, code: number, given: Uint8Array): string {
  if (isExtended) {
    if (code < 0x20 || (code >= 0x80 && code < 0xa0)) return "";
    return code === 0xa0 ? "[CC]" : (EXTENDED[code] ?? "_");
  }
  if (code === 0x18) return String.fromCharCode(given[0]! * 256 + given[1]!); // P16
  if (code === 0x7f) return "♪";
  return (code >= 0x20 && code < 0x80) || code >= 0xa0 ? String.fromCharCode(code) : "";
}
