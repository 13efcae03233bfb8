import type { Script } from "./encodings.ts";

/** Characters beyond ASCII that are looked at, of the sample. */
const MOST_CHARACTERS = 4096;

// oxlint-disable-next-line no-control-regex -- C1 controls, which no text has
const NO_TEXT = /[\u0080-\u009f\ufffd\p{Co}\p{Cn}]/u;
const GRAPHICS = /[\u2500-\u25ff]/;
const HALF_WIDTH_KANA = /[\uff61-\uff9f]/;
/** Symbols of usual text. */
const USUAL = /[\p{P}\p{M}\u00a0\u200c-\u200f£€°©®™♪♫½¼¾²³№]/u;
/** What stands between two letters of a word. */
const JOINS = /[\p{M}\p{Pd}\u00b7\u00a0\u200c-\u200f\u2018\u2019\u2026ー・]/u;
const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;

/**
 * How implausible a text is: 0 is usual text, 4 is none. It is the mean over the characters beyond ASCII, whose faults are letters of another
 * script, letters beside those of ASCII in a script that has none, capitals after small letters, and symbols inside words.
 */
export function implausibility(text: string, script: Script): number {
  let [sum, count, kana, han] = [0, 0, 0, 0];
  let before = "";
  const characters = text.matchAll(/([^\u0080-\u{10ffff}]?)([\u0080-\u{10ffff}])(?=([^]?))/gu);
  for (const { 1: ascii = "", 2: char = "", 3: after = "" } of characters) {
    sum += faultOf(ascii === "" ? before : ascii, char, after, script);
    if (/[\u3040-\u30ff]/.test(char)) kana += 1;
    else if (/\p{Script=Han}/u.test(char)) han += 1;
    before = char;
    if ((count += 1) === MOST_CHARACTERS) break;
  }
  if (count === 0) return 0;
  // Japanese always has kana, so many characters without them are of another language.
  const isWithoutKana = script.name === "japanese" && han > 8 && kana < (han + kana) / 10;
  return sum / count + (isWithoutKana ? 1 : 0);
}

function faultOf(before: string, char: string, after: string, script: Script): number {
  if (NO_TEXT.test(char)) return 4;
  if (GRAPHICS.test(char)) return 2;
  if (HALF_WIDTH_KANA.test(char)) return 0.3;
  if (LETTER.test(char)) return faultOfLetter(before, char, after, script);
  return faultOfSymbol(before, char, after, script);
}

function faultOfSymbol(before: string, char: string, after: string, script: Script): number {
  const isInWord = LETTER.test(before) && LETTER.test(after);
  if (!USUAL.test(char) || char === "¶") return isInWord ? 1.5 : 1;
  if (isWide(script)) return 0;
  if (script.name !== "latin" && /\p{M}/u.test(char) && /[a-zA-Z]/.test(before)) return 1;
  // Symbols beyond ASCII are single ones in Latin text.
  const isRun = script.name === "latin" && before > "\u007f";
  if (!JOINS.test(char)) return (isInWord ? 1 : 0) + (isRun ? 0.5 : 0);
  if (isRun && !LETTER.test(before)) return 0.5;
  return char === "\u2019" && !LETTER.test(before) && LETTER.test(after) ? 0.1 : 0;
}

const isWide = ({ name }: Script) => name === "japanese" || name === "korean" || name === "chinese" || name === "any";

function faultOfLetter(before: string, char: string, after: string, script: Script): number {
  if (!script.letter.test(char)) return /[ªº]/.test(char) ? 0 : 1;
  let fault = script.common === null || script.common.has(char) ? 0 : 0.3;
  if (isWide(script)) return fault;
  if (UPPER.test(char) && LOWER.test(before)) fault += 2;
  if (LOWER.test(char) && UPPER.test(after)) fault += 2;
  if (/\d/.test(before)) fault += 1;
  // Letters beyond ASCII are single ones in words of Latin letters, and whole words in the other scripts.
  if (script.name === "latin") return fault + (before > "\u007f" && LETTER.test(before) ? 0.5 : 0);
  return fault + (/[a-zA-Z]/.test(before) || /[a-zA-Z]/.test(after) ? 1 : 0);
}
