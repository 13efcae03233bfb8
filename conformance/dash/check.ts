import { judge, type Verdict } from "../rule.ts";
import type { DashEvidence } from "./evidence.ts";
import { gather, type GatherOptions } from "./gather.ts";
import type { Rule } from "./rule.ts";
import { BANDWIDTH_RULES } from "./rules/bandwidth.ts";
import { DOCUMENT_RULES } from "./rules/document.ts";
import { LOW_LATENCY_RULES } from "./rules/low-latency.ts";
import { SEGMENT_RULES } from "./rules/segments.ts";
import { SET_RULES } from "./rules/sets.ts";
import { TIMELINE_RULES } from "./rules/timeline.ts";
import { UPDATE_RULES } from "./rules/updates.ts";

/** The rules that apply to a single MPD and the sizes of its segments. */
export const MPD_RULES: Rule[] = [
  ...DOCUMENT_RULES,
  ...SET_RULES,
  ...TIMELINE_RULES,
  ...LOW_LATENCY_RULES,
  ...BANDWIDTH_RULES,
];

const RULES: Rule[] = [...MPD_RULES, ...UPDATE_RULES, ...SEGMENT_RULES];

export interface Checked {
  evidence: DashEvidence;
  verdicts: Verdict[];
}

/** Follows an MPD and judges the evidence. @throws when there is no MPD at the URL */
export async function check(url: string, options: GatherOptions): Promise<Checked> {
  const evidence = await gather(url, options);
  return { evidence, verdicts: judge(RULES, evidence) };
}
