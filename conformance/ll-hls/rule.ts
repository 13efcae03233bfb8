import type { Rule as AnyRule } from "../rule.ts";
import type { StreamEvidence } from "./evidence.ts";

export { type Fault, judge, pairs, type Reporter, type Verdict } from "../rule.ts";
/** Sections are of draft-pantos-hls-rfc8216bis. */
export type Rule = AnyRule<StreamEvidence>;

export const must = (id: string, section: string, words: string, judge: Rule["judge"]): Rule => ({
  id,
  section,
  level: "MUST",
  words,
  judge,
});

export const should = (id: string, section: string, words: string, judge: Rule["judge"]): Rule => ({
  ...must(id, section, words, judge),
  level: "SHOULD",
});
