/** Bounds of JSON bodies. */
export interface JsonBounds {
  maxBytes: number;
  /** Nesting depth of objects and arrays. */
  maxDepth: number;
  /** Members of objects and elements of arrays, in all. */
  maxValues: number;
  /** UTF-16 code units of a member's name, as written. */
  maxKeyLength: number;
}

/** Requests of the API. The deepest body of the contract nests 6 levels. */
export const API_JSON: JsonBounds = { maxBytes: 256 * 1024, maxDepth: 32, maxValues: 10_000, maxKeyLength: 1024 };

/**
 * Callbacks of encoders and gateways. The longest are the result of 12 h of audio, 10,800 segments in 600 KB, and that of sound
 * for a recording of 66 h, 120,000 sizes in 800 KB. SQLite in a Durable Object
 * allows 2 MB per row, and the result is stored in one row.
 */
export const CALLBACK_JSON: JsonBounds = {
  maxBytes: 1_900_000,
  maxDepth: 32,
  maxValues: 200_000,
  maxKeyLength: 1024,
};

const PROTOTYPE = '"__proto__"';

/**
 * Checks a JSON text before it is parsed, in one pass without recursion, because the parser, schemas and later code may recurse. Text that
 * is not JSON is left to the parser.
 *
 * @returns a description, for the caller, of the bound that the text exceeds; null = none
 */
export function exceededBound(text: string, { maxDepth, maxValues, maxKeyLength }: JsonBounds): string | null {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (end - at - 1 > maxKeyLength && isKey(text, end)) return `has a key longer than ${maxKeyLength} characters`;
        // Schemas drop this name, so a pair of metadata would be lost without a word.
        if (text.startsWith(PROTOTYPE, at) && isKey(text, end)) return "has a key named __proto__";
        at = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        values += 1;
        if (depth > maxDepth) return `nests deeper than ${maxDepth} levels`;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
    }
    if (values > maxValues) return `has more than ${maxValues} values`;
  }
  return null;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Position of the closing quote; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** Whether a colon follows the string that ends here. */
function isKey(text: string, end: number): boolean {
  for (let at = end + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COLON) return true;
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return false;
  }
  return false;
}
