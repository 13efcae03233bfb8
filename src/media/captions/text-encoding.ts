import { ANY_LANGUAGE, encodingsOfLanguage, LATIN, scriptOf } from "./encodings.ts";
import { implausibility } from "./plausibility.ts";

/** Bytes that are looked at to tell encodings apart. */
const SAMPLE_BYTES = 65_536;
/** More implausible text is not of the language. */
const MOST_IMPLAUSIBLE = 0.35;

export interface DecodedText {
  text: string;
  /** A label of the WHATWG Encoding Standard; also `utf-32le` and `utf-32be`, which it does not have. */
  encoding: string;
}

/**
 * Decodes the text of a caption file. A BOM says its encoding; UTF-16 and UTF-32 without one have NULs at fixed places; ISO-2022-JP has
 * escape sequences; text that is valid UTF-8 is UTF-8, whatever it declares. What is left has the encoding that its XML declaration names,
 * or that of the language in which the text is most plausible.
 *
 * @param languageCode BCP 47, of the track
 */
export function decodeText(bytes: Uint8Array, languageCode: string): DecodedText {
  const marked = byteOrderMark(bytes) ?? zeroPattern(bytes) ?? escapeSequences(bytes);
  if (marked !== null) return { encoding: marked, text: decode(bytes, marked) };
  const unicode = validUtf8(bytes);
  if (unicode !== null) return { encoding: "utf-8", text: unicode };
  const encoding = declared(bytes) ?? mostPlausible(bytes, languageCode);
  return { encoding, text: decode(bytes, encoding) };
}

function byteOrderMark(bytes: Uint8Array): string | null {
  const [first, second, third, fourth] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? "utf-32le" : "utf-16le";
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return "utf-32be";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** Times and digits are ASCII in every format, so UTF-16 has a NUL next to each of them, and UTF-32 has three. */
function zeroPattern(bytes: Uint8Array): string | null {
  const head = bytes.subarray(0, 64);
  if (head.length < 8) return null;
  const [first, second, third, fourth] = [0, 1, 2, 3].map(
    (place) => head.filter((byte, at) => at % 4 === place && byte === 0).length / (head.length / 4),
  ) as [number, number, number, number];
  if (first === 0 && third > 0.5 && fourth > 0.5 && second > 0.5) return "utf-32le";
  if (fourth === 0 && first > 0.5 && second > 0.5 && third > 0.5) return "utf-32be";
  if (first + third === 0 && second + fourth > 1) return "utf-16le";
  return second + fourth === 0 && first + third > 1 ? "utf-16be" : null;
}

/** ISO-2022-JP is ASCII but for escape sequences (RFC 1468) that choose another set of characters. */
function escapeSequences(bytes: Uint8Array): string | null {
  const head = new TextDecoder(LATIN).decode(bytes.subarray(0, SAMPLE_BYTES));
  // oxlint-disable-next-line no-control-regex -- ESC, and bytes of ASCII
  return /\u001b\$[@B]|\u001b\(I/.test(head) && /^[\u0000-\u007f]*$/.test(head) ? "iso-2022-jp" : null;
}

/** The encoding in an XML declaration. It has been read as ASCII, so one that names UTF-16 is wrong, and one that names UTF-8 has been tried. */
function declared(bytes: Uint8Array): string | null {
  const head = new TextDecoder(LATIN).decode(bytes.subarray(0, 256));
  const [, label] = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(head) ?? [];
  if (label === undefined) return null;
  try {
    const { encoding } = new TextDecoder(label);
    return /^utf-|^x-user-defined$/.test(encoding) ? null : encoding;
  } catch {
    return null;
  }
}

function mostPlausible(bytes: Uint8Array, languageCode: string): string {
  const own = ranked(bytes, encodingsOfLanguage(languageCode));
  const [first] = own;
  if (first !== undefined && first.fault <= MOST_IMPLAUSIBLE) return first.encoding;
  const all = [...own, ...ranked(bytes, ANY_LANGUAGE)].toSorted((a, b) => a.fault - b.fault);
  return all[0]!.encoding;
}

/** The most plausible one first; of equal ones, the one that is listed first. */
function ranked(bytes: Uint8Array, encodings: readonly string[]) {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const stream = sample.length < bytes.length; // a character may be cut at the end of the sample
  return encodings
    .map((encoding) => {
      const text = new TextDecoder(encoding).decode(sample, { stream });
      return { encoding, fault: implausibility(text, scriptOf(encoding)) };
    })
    .toSorted((a, b) => a.fault - b.fault);
}

const decode = (bytes: Uint8Array, encoding: string) =>
  encoding.startsWith("utf-32") ? decodeUtf32(bytes, encoding === "utf-32le") : new TextDecoder(encoding).decode(bytes);

/** TextDecoder has no UTF-32. The text goes through UTF-16, which it has, so that a long file makes no long list of strings. */
function decodeUtf32(bytes: Uint8Array, isLittle: boolean): string {
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength - (bytes.byteLength % 4));
  const to = new DataView(new ArrayBuffer(from.byteLength));
  let length = 0;
  const write = (unit: number) => {
    to.setUint16(length, unit, true);
    length += 2;
  };
  for (let at = 0; at < from.byteLength; at += 4) {
    const code = from.getUint32(at, isLittle);
    if (code > 0x10ffff) write(0xfffd);
    else if (code < 0x10000) write(code);
    else {
      write(0xd800 + ((code - 0x10000) >> 10));
      write(0xdc00 + ((code - 0x10000) & 0x3ff));
    }
  }
  return new TextDecoder("utf-16le").decode(to.buffer.slice(0, length));
}

/** @returns null when the bytes are not valid */
function validUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
