import { countWords, cutToWords, hasMoreWords } from "./plain-text.ts";
import { termsOfAll } from "./terms.ts";
import type { Sentence } from "./transcript.ts";

/** Sentences that are ranked; of a longer text, each stands for several. */
const MOST_SENTENCES = 600;
const DAMPING = 0.85;
const ROUNDS = 30;
/** A shorter sentence says little by itself. */
const LEAST_WORDS = 5;

/**
 * The sentences of a text that have most in common with the others (TextRank: Mihalcea and Tarau, 2004), in their order. Pure.
 *
 * @param words about how many the summary has
 * @returns "" for a text without sentences
 */
export function summarize(sentences: readonly Sentence[], words: number): string {
  const whole = sentences.map(({ text }) => text).join(" ");
  if (!hasMoreWords(whole, words)) return whole;
  const step = Math.ceil(sentences.length / MOST_SENTENCES);
  const candidates = sentences.filter((_, at) => at % step === 0);
  const ranks = rank(candidates);
  const chosen = new Set<number>();
  let left = words;
  for (const at of candidates.map((_, n) => n).toSorted((a, b) => ranks[b]! - ranks[a]!)) {
    const length = countWords(candidates[at]!.text);
    if (length < LEAST_WORDS || length > left) continue;
    chosen.add(at);
    left -= length;
  }
  if (chosen.size === 0) return cutToWords(candidates[0]?.text ?? "", words);
  return candidates
    .filter((_, at) => chosen.has(at))
    .map(({ text }) => text)
    .join(" ");
}

function rank(sentences: readonly Sentence[]): Float64Array {
  const stems = termsOfAll(sentences).map((terms) => new Set(terms.map(({ stem }) => stem)));
  const count = sentences.length;
  const weights = new Float64Array(count * count);
  const sums = new Float64Array(count);
  for (let a = 0; a < count; a += 1)
    for (let b = a + 1; b < count; b += 1) {
      const weight = similarity(stems[a]!, stems[b]!);
      weights[a * count + b] = weight;
      weights[b * count + a] = weight;
      sums[a]! += weight;
      sums[b]! += weight;
    }
  let ranks = new Float64Array(count).fill(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(count).fill(1 - DAMPING);
    for (let a = 0; a < count; a += 1) {
      if (sums[a] === 0) continue;
      const share = (DAMPING * ranks[a]!) / sums[a]!;
      for (let b = 0; b < count; b += 1) next[b]! += share * weights[a * count + b]!;
    }
    ranks = next;
  }
  return ranks;
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size < 2 || b.size < 2) return 0;
  let common = 0;
  for (const stem of a) if (b.has(stem)) common += 1;
  return common / (Math.log(a.size) + Math.log(b.size));
}
