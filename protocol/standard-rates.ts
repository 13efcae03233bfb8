import type { Fraction } from "./source-facts.ts";

/** Standard film and television frame rates up to 60, ascending. */
export const STANDARD_RATES: readonly Fraction[] = [
  { num: 24_000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 30, den: 1 },
  { num: 50, den: 1 },
  { num: 60_000, den: 1001 },
  { num: 60, den: 1 },
];
