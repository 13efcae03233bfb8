/** Characters that are not seen, and the vowel points of Arabic and Hebrew with the stretched line, which most writers leave out. */
const LEFT_OUT = /[\p{Default_Ignorable_Code_Point}\u0640[\p{Mn}&&[\p{scx=Arabic}\p{scx=Hebrew}]]]/gv;

/** The tokenizer knows those of Latin letters that it has a table for; Greek has none. */
const ACCENTS = /(?<=[\p{sc=Latin}\p{sc=Greek}])[\u0300-\u036f]+/gu;

/**
 * Scripts without spaces between words, and Hangul, whose words carry their particles. Each character is a word of the index, so that a text is
 * found by any part of it.
 */
const BY_CHARACTER =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*/gu;

// oxlint-disable-next-line no-control-regex -- ASCII
const IS_ASCII = /^[\u0000-\u007f]*$/;

/**
 * A text, or a word of a question, in the form in which SQLite's tokenizer gets it. The tokenizer itself ignores case and diacritics, and takes
 * everything but letters, digits and marks for space.
 */
export const searchedText = (text: string): string =>
  IS_ASCII.test(text)
    ? text
    : text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").replace(LEFT_OUT, "").replace(BY_CHARACTER, " $& ");

/** Whether a text ends with a character that is a word by itself. */
export const endsByCharacter = (text: string): boolean => [...text.matchAll(BY_CHARACTER)].at(-1)?.[0] === lastOf(text);

const lastOf = (text: string): string | undefined => /\P{M}\p{M}*$/u.exec(text)?.[0];
