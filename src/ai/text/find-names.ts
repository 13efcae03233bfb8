import type { FoundName } from "./count-mentions.ts";
import type { EntityCategory } from "./text-result.ts";
import type { Sentence } from "./transcript.ts";

/** Sentences that are read at once: the library's memory grows with them. */
const AT_ONCE = 200;
/** Longer ones are phrases that were taken for a name. */
const MOST_WORDS = 5;
/** Words that begin with a capital, and name nobody by themselves. */
const NO_NAMES = new Set(
  "i mr mrs ms dr sir god lord monday tuesday wednesday thursday friday saturday sunday".split(" "),
);

/** Names in an English text, by `compromise`: a lexicon and rules. It knows people, organizations and places, and misses about a fifth (docs/guides/ai.md). */
export async function findNames(sentences: readonly Sentence[]): Promise<FoundName[]> {
  const { default: nlp } = await import("compromise"); // loading it takes most of the second that a Worker may take to start, and 10 MB
  const found = new Map<string, FoundName>();
  for (let at = 0; at < sentences.length; at += AT_ONCE) {
    const text = sentences
      .slice(at, at + AT_ONCE)
      .map((sentence) => sentence.text)
      .join(" ");
    const document = nlp(text);
    const add = (category: EntityCategory, names: string[]) => {
      for (const given of names) {
        const name = bare(given);
        const isName =
          /^\p{Lu}/u.test(name) && name.split(" ").length <= MOST_WORDS && !NO_NAMES.has(name.toLowerCase());
        if (isName && !found.has(name)) found.set(name, { name, category, spellings: [] });
      }
    };
    add("person", document.people().out("array") as string[]);
    add("organization", document.organizations().out("array") as string[]);
    add("location", document.places().out("array") as string[]);
  }
  return [...found.values()];
}

/** Without the punctuation around it, and without a possessive. */
const bare = (text: string): string =>
  text
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}.]+$/gu, "")
    .replace(/['’]s$/u, "")
    .replace(/\.$/, "")
    .trim();
