/** The Latin characters of teletext (ETSI EN 300 706 §15). */

/** Codes of the primary set (G0) that differ between languages. */
const NATIONAL_CODES = [0x23, 0x24, 0x40, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x7b, 0x7c, 0x7d, 0x7e];
/** Table 36. */
const ENGLISH = "£$@←½→↑#—¼‖¾÷";
const CZECH = "#ůčťžýířéáěúš";
const ESTONIAN = "#õŠÄÖŽÜÕšäöžü";
const FRENCH = "éïàëêùî#èâôûç";
const GERMAN = "#$§ÄÖÜ^_°äöüß";
const ITALIAN = "£$é°ç→↑#ùàòèì";
const LETTISH = "#$ŠėęŽčūšąųžį";
const POLISH = "#ńąŻŚŁćóężśłź";
const PORTUGUESE = "ç$¡áéíóú¿üñèà";
const RUMANIAN = "#¤ŢÂŞĂÎıţâşăî";
const SERBIAN = "#ËČĆŽĐŠëčćžđš";
const SWEDISH = "#¤ÉÄÖÅÜ_éäöåü";
const TURKISH = "₺ğİŞÖÇÜĞışöçü";

/** Table 32: by region, and by the national option of the page. Absent: no Latin letters. */
const REGIONS: Record<number, (string | undefined)[]> = {
  0: [ENGLISH, GERMAN, SWEDISH, ITALIAN, FRENCH, PORTUGUESE, CZECH],
  1: [POLISH, GERMAN, SWEDISH, ITALIAN, FRENCH, undefined, CZECH],
  2: [ENGLISH, GERMAN, SWEDISH, ITALIAN, FRENCH, PORTUGUESE, TURKISH],
  3: [undefined, undefined, undefined, undefined, undefined, SERBIAN, undefined, RUMANIAN],
  4: [undefined, GERMAN, ESTONIAN, LETTISH, undefined, undefined, CZECH],
  6: [undefined, undefined, undefined, undefined, undefined, undefined, TURKISH],
  8: [ENGLISH, undefined, undefined, undefined, FRENCH],
};
/** What receivers in a country take when the service does not say it, by ISO 639-2. */
const REGION_OF: Record<string, number> = {
  pol: 1,
  tur: 2,
  bos: 3,
  hrv: 3,
  ron: 3,
  rum: 3,
  scr: 3,
  slv: 3,
  est: 4,
  lav: 4,
  lit: 4,
};
const NO_LATIN = new Set([
  "ara",
  "bel",
  "bul",
  "ell",
  "gre",
  "heb",
  "mac",
  "mkd",
  "per",
  "fas",
  "rus",
  "scc",
  "srp",
  "ukr",
]);

/** Whether the pages of a language have Latin letters. @param languageCode ISO 639-2 */
export const isLatin = (languageCode: string): boolean => !NO_LATIN.has(languageCode);

/** @param languageCode ISO 639-2 */
export const regionOf = (languageCode: string): number =>
  Object.hasOwn(REGION_OF, languageCode) ? REGION_OF[languageCode]! : 0;

/** @returns the characters of the codes that differ; null when the letters are not Latin */
export const nationalSet = (region: number, option: number): string | null => REGIONS[region]?.[option] ?? null;

/** @param code 0x20 to 0x7f */
export function primaryCharacter(code: number, national: string): string {
  if (code === 0x7f) return "■";
  const position = NATIONAL_CODES.indexOf(code);
  return position < 0 ? String.fromCharCode(code) : national[position]!;
}

/** The supplementary set (G2), from 0x20 on (table 37). The accents in the fifth row are no characters of their own. */
const SUPPLEMENTARY =
  "\u00a0¡¢£$¥#§¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿                ―¹®©™♪₠‰∝   ⅛⅜⅝⅞ΩÆÐªĦ ĲĿŁØŒºÞŦŊŉĸæđðħıĳŀłøœßþŧŋ■";
export const supplementaryCharacter = (code: number): string => SUPPLEMENTARY[code - 0x20] ?? " ";

/** Combining accents, by the last four bits of the mode of an enhancement. */
const ACCENTS = [
  "",
  "\u0300",
  "\u0301",
  "\u0302",
  "\u0303",
  "\u0304",
  "\u0306",
  "\u0307",
  "\u0308",
  "\u0323",
  "\u030a",
  "\u0327",
  "",
  "\u030b",
  "\u0328",
  "\u030c",
];

/** A letter with an accent. @param code 0x20 to 0x7f, as in ASCII */
export const accentedCharacter = (code: number, accent: number): string =>
  `${String.fromCharCode(code)}${ACCENTS[accent] ?? ""}`.normalize("NFC");
