/** The built-in engine of summaries, chapters and names, on talks of known subjects and texts with known names. */
import { BUILT_IN } from "../src/ai/text/built-in.ts";
import type { Sentence } from "../src/ai/text/transcript.ts";
import { countWords } from "../src/ai/text/plain-text.ts";
import { NAMED_TEXTS } from "../test/support/named-texts.ts";
import { type Talk, talks } from "../test/support/talks.ts";
import type { Figure } from "./support/figures.ts";

const BORDER_MS = 15_000;
const SUMMARY_WORDS = 60;
const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Whether all borders are found, and no other. */
function isRight({ startsMs }: Talk, found: readonly number[]): boolean {
  const isNear = (ms: number, all: readonly number[]) => all.some((one) => Math.abs(one - ms) <= BORDER_MS);
  return startsMs.every((ms) => isNear(ms, found)) && found.every((ms) => isNear(ms, startsMs));
}

function chapters(): Figure {
  const all = talks();
  const right = all.filter((talk) => {
    const made = BUILT_IN.chapters(talk.sentences, {}, talk.durationMs).chapters;
    return isRight(
      talk,
      made.map(({ startMs }) => startMs),
    );
  }).length;
  const minutely = all.filter((talk) => {
    const count = Math.ceil(talk.durationMs / 60_000);
    return isRight(
      talk,
      Array.from({ length: count }, (_, n) => n * 60_000),
    );
  }).length;
  return {
    name: "talks with every chapter within 15 s, and none else",
    value: `${right} of ${all.length}`,
    yardstick: `a chapter each minute: ${minutely}`,
    aim: "≥ 8 of 10",
    isMet: right >= 8,
    raw: { right, minutely },
  };
}

/** The share of a talk's subjects of which a text has a sentence. */
function covered({ sentences, subjects }: Talk, text: string): number {
  const perSubject = sentences.length / subjects.length;
  const own = sentences.flatMap((sentence, n) => (text.includes(sentence.text) ? [Math.floor(n / perSubject)] : []));
  return new Set(own).size / subjects.length;
}

function summaries(): Figure {
  const all = talks();
  const mean = (shares: number[]) => shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const made = mean(
    all.map((talk) => covered(talk, BUILT_IN.summary(talk.sentences, { summaryWords: SUMMARY_WORDS }, 0).summary)),
  );
  const first = mean(all.map((talk) => covered(talk, firstWords(talk.sentences))));
  return {
    name: `subjects that a summary of ${SUMMARY_WORDS} words has a sentence of`,
    value: percent(made),
    yardstick: `the first sentences: ${percent(first)}`,
    aim: "more than the yardstick",
    isMet: made > first,
    raw: { made, first },
  };
}

function firstWords(sentences: readonly Sentence[]): string {
  const chosen: string[] = [];
  for (const { text } of sentences) {
    if (countWords([...chosen, text].join(" ")) > SUMMARY_WORDS) break;
    chosen.push(text);
  }
  return chosen.join(" ");
}

async function names(): Promise<Figure[]> {
  let [found, right, wanted, plainFound, plainRight] = [0, 0, 0, 0, 0];
  for (const { text, names: listed } of NAMED_TEXTS) {
    const sentences = text
      .split(/(?<=\.) /)
      .map((one, n) => ({ text: one, startMs: n * 5000, endMs: n * 5000 + 4000 }));
    const { namedEntities } = await BUILT_IN.namedEntities(sentences, {}, 0);
    const isListed = (name: string, category?: string) =>
      listed.some((one) => one.name === name && (category === undefined || one.category === category));
    found += namedEntities.length;
    right += namedEntities.filter(({ name, category }) => isListed(name, category)).length;
    wanted += listed.length;
    const capitals = new Set(text.match(/\p{Lu}[\p{L}]+(?: \p{Lu}[\p{L}]+)*/gu) ?? []);
    plainFound += capitals.size;
    plainRight += [...capitals].filter((name) => isListed(name)).length;
  }
  const raw = { found, right, wanted, plainFound, plainRight };
  return [
    {
      name: "names that are right, with their category",
      value: percent(right / found),
      yardstick: `words with a capital, without category: ${percent(plainRight / plainFound)}`,
      aim: "",
      isMet: null,
      raw,
    },
    {
      name: "names that are found",
      value: percent(right / wanted),
      yardstick: `words with a capital: ${percent(plainRight / wanted)}`,
      aim: "",
      isMet: null,
      raw,
    },
  ];
}

export const run = async (): Promise<Figure[]> => [chapters(), summaries(), ...(await names())];
