/** The characters of CEA-608 (CTA-608-E annex B, tables 49 to 51). */

/** Basic characters that differ from ASCII. */
const BASIC: Record<number, string> = {
  0x2a: "á",
  0x5c: "é",
  0x5e: "í",
  0x5f: "ó",
  0x60: "ú",
  0x7b: "ç",
  0x7c: "÷",
  0x7d: "Ñ",
  0x7e: "ñ",
  0x7f: "█",
};
const SPECIAL = "®°½¿™¢£♪à èâêîôû";
const EXTENDED = ["ÁÉÓÚÜü‘¡*’—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»", "ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘"];

/** @param code 0x20 to 0x7f */
export const basicCharacter = (code: number): string => BASIC[code] ?? String.fromCharCode(code);

/** @param code second byte, 0x30 to 0x3f */
export const specialCharacter = (code: number): string => SPECIAL[code - 0x30] ?? " ";

/** @param set 0 = Spanish and French, 1 = Portuguese, German and Danish. @param code second byte, 0x20 to 0x3f */
export const extendedCharacter = (set: number, code: number): string => EXTENDED[set]?.[code - 0x20] ?? " ";
