/** Samples of 3GPP timed text (3GPP TS 26.245 §5.17), which libav calls mov_text. Pure. */

const [BOLD, ITALIC, UNDERLINE] = [1, 2, 4];
const TAGS: [bit: number, name: string][] = [
  [BOLD, "b"],
  [ITALIC, "i"],
  [UNDERLINE, "u"],
];
const STYLE_BYTES = 12;
/** Styles of one sample; more are ignored. */
const MAX_STYLES = 64;

interface Style {
  /** Characters, from (inclusive) and to (exclusive). */
  from: number;
  to: number;
  face: number;
}

/** @returns the text with `<b>`, `<i>` and `<u>` of its `styl` box, escaped; "" for a gap or a damaged sample */
export function timedTextMarkup(sample: Buffer): string {
  if (sample.length < 2) return "";
  const end = 2 + sample.readUInt16BE(0);
  if (end > sample.length) return "";
  const characters = Array.from(decoded(sample.subarray(2, end)));
  let markup = "";
  let at = 0;
  for (const { from, to, face } of stylesOf(sample, end).toSorted((a, b) => a.from - b.from)) {
    if (from < at || to <= from) continue; // they may not overlap
    const tags = TAGS.filter(([bit]) => (face & bit) !== 0).map(([, name]) => name);
    markup += escaped(characters.slice(at, from));
    markup += tags.map((name) => `<${name}>`).join("") + escaped(characters.slice(from, to));
    markup += tags
      .toReversed()
      .map((name) => `</${name}>`)
      .join("");
    at = to;
  }
  return markup + escaped(characters.slice(at));
}

/** UTF-16 begins with a byte order mark; anything else is UTF-8. */
function decoded(bytes: Buffer): string {
  const isUtf16 = bytes.length >= 2 && bytes.readUInt16BE(0) === 0xfeff;
  return new TextDecoder(isUtf16 ? "utf-16be" : "utf-8").decode(bytes).replace(/\r\n?/g, "\n");
}

function stylesOf(sample: Buffer, start: number): Style[] {
  for (let at = start; at + 10 <= sample.length;) {
    const size = sample.readUInt32BE(at);
    if (size < 8 || at + size > sample.length) return [];
    if (sample.toString("latin1", at + 4, at + 8) === "styl") {
      const whole = Math.floor((size - 10) / STYLE_BYTES);
      const count = Math.min(sample.readUInt16BE(at + 8), whole, MAX_STYLES);
      return Array.from({ length: count }, (_, n) => {
        const entry = at + 10 + n * STYLE_BYTES;
        return { from: sample.readUInt16BE(entry), to: sample.readUInt16BE(entry + 2), face: sample[entry + 6]! };
      });
    }
    at += size;
  }
  return [];
}

const escaped = (characters: string[]): string =>
  characters.join("").replace(/[&<>]/g, (char) => (char === "&" ? "&amp;" : char === "<" ? "&lt;" : "&gt;"));
