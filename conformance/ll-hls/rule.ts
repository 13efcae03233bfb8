import { type Rule as AnyRule, rulesOf } from "../rule.ts";
import type { StreamEvidence } from "./evidence.ts";

export { judge, pairs, type Reporter, type Verdict } from "../rule.ts";
/** Sections are of draft-pantos-hls-rfc8216bis. */
export type Rule = AnyRule<StreamEvidence>;

export const { must, should } = rulesOf<StreamEvidence>();
