import { z } from "zod";
import type { TextRequest } from "../providers/index.ts";
import { plainLine } from "./plain-text.ts";

/** Captions of one question: models lose count in longer lists. */
const MOST_LINES = 40;
const MOST_CHARACTERS = 4000;

const Answer = z.union([z.object({ lines: z.array(z.string()) }).transform(({ lines }) => lines), z.array(z.string())]);
const format = {
  name: "translation",
  schema: {
    type: "object",
    properties: { lines: { type: "array", items: { type: "string" } } },
    required: ["lines"],
    additionalProperties: false,
  },
};
/** Of a language that needs more than the first one, for each character. */
const TOKENS_PER_CHARACTER = 1.5;

/** Cuts captions into the lists that a model is asked about one by one. Pure. */
export function translationParts(texts: readonly string[]): string[][] {
  const parts: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = parts.at(-1);
    if (last === undefined || last.length >= MOST_LINES || characters + text.length > MOST_CHARACTERS) {
      parts.push([text]);
      characters = 0;
    } else last.push(text);
    characters += text.length;
  }
  return parts;
}

/** @param language its English name */
export const askTranslation = (texts: readonly string[], language: string): TextRequest => ({
  instructions: [
    `Translate the captions of a video into ${language}. The message is a JSON list of ${texts.length} captions, in their order.`,
    `Answer with \`lines\`: exactly ${texts.length} translated captions, each in the place of its own, also when a sentence goes on in the next one.`,
    "Keep names. Add nothing.",
  ].join(" "),
  text: JSON.stringify(texts),
  format,
  maxOutputTokens: 200 + Math.ceil(texts.join("").length * TOKENS_PER_CHARACTER) + texts.length * 4,
});

/** @returns null = it has not a line for each caption */
export function readTranslation(value: unknown, count: number): string[] | null {
  const answer = Answer.safeParse(value);
  if (!answer.success || answer.data.length !== count) return null;
  const lines = answer.data.map(plainLine);
  return lines.some((line) => line === "") ? null : lines;
}

const LINE_CHARACTERS = 42;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Breaks a caption into two lines of about the same length, if it is longer than one. */
export function inTwoLines(text: string): string {
  if (text.length <= LINE_CHARACTERS || WIDE.test(text)) return text;
  const middle = text.length / 2;
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index);
  const [best] = spaces.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  return best === undefined ? text : `${text.slice(0, best)}\n${text.slice(best + 1)}`;
}
