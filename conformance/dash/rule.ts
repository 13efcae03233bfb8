import { type Rule as AnyRule, rulesOf } from "../rule.ts";
import { type DashEvidence, type ReadManifest, readManifests } from "./evidence.ts";

export type Rule = AnyRule<DashEvidence>;

export const { must } = rulesOf<DashEvidence>();

type Check<Item> = (item: Item) => string | null;

/** Judges each item of each MPD once: `check` returns the violation, or null. */
export const eachOf =
  <Item>(items: (answer: ReadManifest) => Item[], wanted: string, check: Check<Item>): Rule["judge"] =>
  (evidence, { seen, fault }) => {
    for (const answer of readManifests(evidence))
      for (const item of items(answer)) {
        const found = check(item);
        if (found === null) seen();
        else fault(answer.url, wanted, found);
      }
  };
