import type { Rule } from "./rule.ts";
import { BANDWIDTH_RULES } from "./rules/bandwidth.ts";
import { DOCUMENT_RULES } from "./rules/document.ts";
import { LOW_LATENCY_RULES } from "./rules/low-latency.ts";
import { SET_RULES } from "./rules/sets.ts";
import { TIMELINE_RULES } from "./rules/timeline.ts";

export const RULES: Rule[] = [
  ...DOCUMENT_RULES,
  ...SET_RULES,
  ...TIMELINE_RULES,
  ...LOW_LATENCY_RULES,
  ...BANDWIDTH_RULES,
];
