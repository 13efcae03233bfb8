/**
 * The encoding of a caption file. A BOM says it; UTF-16 without one has NULs in every other byte; text that is valid UTF-8 is UTF-8. What
 * is left is an encoding of the last century, which only the language of the track can tell apart.
 */
const OF_LANGUAGE: Record<string, readonly string[]> = {
  ja: ["iso-2022-jp", "euc-jp", "shift_jis"],
  ko: ["euc-kr"],
  zh: ["gb18030"],
  "zh-tw": ["big5"],
  "zh-hk": ["big5"],
  "zh-hant": ["big5"],
  th: ["windows-874"],
  ru: ["windows-1251"],
  uk: ["windows-1251"],
  be: ["windows-1251"],
  bg: ["windows-1251"],
  mk: ["windows-1251"],
  sr: ["windows-1251"],
  el: ["windows-1253"],
  tr: ["windows-1254"],
  az: ["windows-1254"],
  he: ["windows-1255"],
  yi: ["windows-1255"],
  ar: ["windows-1256"],
  fa: ["windows-1256"],
  ur: ["windows-1256"],
  et: ["windows-1257"],
  lv: ["windows-1257"],
  lt: ["windows-1257"],
  vi: ["windows-1258"],
  ...Object.fromEntries(["pl", "cs", "sk", "hu", "sl", "hr", "bs", "ro", "sq"].map((code) => [code, ["windows-1250"]])),
};
const LATIN = "windows-1252"; // what the WHATWG calls Latin-1
/** Bytes that are looked at to tell scripts apart. */
const SAMPLE_BYTES = 65_536;

export interface DecodedText {
  text: string;
  /** A label of the WHATWG Encoding Standard. */
  encoding: string;
}

/** @param languageCode BCP 47, of the track */
export function decodeText(bytes: Uint8Array, languageCode: string): DecodedText {
  const marked = byteOrderMark(bytes) ?? zeroPattern(bytes);
  if (marked !== null) return { encoding: marked, text: decode(bytes, marked) };
  for (const encoding of ["utf-8", ...declared(bytes), ...ofLanguage(languageCode)]) {
    // A single-byte encoding decodes anything. It counts only when the text is of the script that it was made for.
    if (isSingleByte(encoding) && !isOfScript(bytes, encoding)) continue;
    const text = decodeStrictly(bytes, encoding);
    if (text !== null) return { encoding, text };
  }
  const other = ["windows-1251", "windows-1253"].find((encoding) => isOfScript(bytes, encoding)) ?? LATIN;
  return { encoding: other, text: decode(bytes, other) };
}

function byteOrderMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** Times and digits are ASCII in every format, so UTF-16 has a NUL beside each of them. */
function zeroPattern(bytes: Uint8Array): string | null {
  const head = bytes.subarray(0, 64);
  if (head.length < 8) return null;
  const zeros = [0, 1].map((side) => head.filter((byte, at) => at % 2 === side && byte === 0).length);
  const most = head.length / 4;
  if (zeros[1]! > most && zeros[0] === 0) return "utf-16le";
  return zeros[0]! > most && zeros[1] === 0 ? "utf-16be" : null;
}

/** Of an XML declaration; only encodings that this module knows. */
function declared(bytes: Uint8Array): string[] {
  const head = new TextDecoder(LATIN).decode(bytes.subarray(0, 128));
  const [, name = ""] = /^<\?xml[^>]*\bencoding=["']([\w-]{1,32})["']/.exec(head) ?? [];
  const label = name.toLowerCase().replace(/^iso-8859-1$/, LATIN);
  return [LATIN, ...Object.values(OF_LANGUAGE).flat()].includes(label) ? [label] : [];
}

function ofLanguage(languageCode: string): readonly string[] {
  const code = languageCode.toLowerCase();
  const [language = ""] = code.split("-");
  return OF_LANGUAGE[code] ?? OF_LANGUAGE[language] ?? [];
}

const isSingleByte = (encoding: string) => /^windows-125[0-8]$/.test(encoding);

const SCRIPTS: Record<string, RegExp> = {
  "windows-1251": /\p{Script=Cyrillic}/u,
  "windows-1253": /\p{Script=Greek}/u,
  "windows-1255": /\p{Script=Hebrew}/u,
  "windows-1256": /\p{Script=Arabic}/u,
};

/** For a Latin script always; for another one when most letters are of it, and capitals do not stand inside words. */
function isOfScript(bytes: Uint8Array, encoding: string): boolean {
  const script = SCRIPTS[encoding];
  if (script === undefined) return true;
  const letters = (decode(bytes.subarray(0, SAMPLE_BYTES), encoding).match(/\p{L}+/gu) ?? []).filter(
    (word) => /[^\u0000-\u007f]/.test(word), // oxlint-disable-line no-control-regex -- ASCII
  );
  const count = (words: string[]) => words.reduce((sum, word) => sum + word.length, 0);
  const own = letters.filter((word) => Array.from(word).every((letter) => script.test(letter)));
  const odd = own.filter((word) => /^\p{Ll}+\p{Lu}/u.test(word));
  return own.length > 0 && count(own) > 0.8 * count(letters) && odd.length < own.length / 4;
}

const decode = (bytes: Uint8Array, encoding: string) => new TextDecoder(encoding).decode(bytes);

/** @returns null when the bytes are not valid in this encoding */
function decodeStrictly(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
