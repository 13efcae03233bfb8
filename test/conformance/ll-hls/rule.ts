import type { StreamEvidence } from "./evidence.ts";

export interface Fault {
  url: string;
  /** Two lines: what the rule wants, or what was before; what was found. */
  lines: [string, string];
}

export interface Rule {
  id: string;
  /** Of draft-pantos-hls-rfc8216bis. */
  section: string;
  level: "MUST" | "SHOULD";
  words: string;
  /** Pure: says of the evidence how often it could be judged (`seen`), and what was wrong. */
  judge: (stream: StreamEvidence, tell: Teller) => void;
}

export interface Teller {
  seen: () => void;
  /** Counts as seen. */
  fault: (url: string, wanted: string, found: string) => void;
}

export interface Verdict {
  id: string;
  section: string;
  level: Rule["level"];
  words: string;
  state: "ok" | "FAIL" | "warn" | "not seen";
  seen: number;
  faults: Fault[];
}

/** A broken SHOULD is a warning. */
export function judge(rules: Rule[], stream: StreamEvidence): Verdict[] {
  return rules.map(({ id, section, level, words, judge }) => {
    const faults: Fault[] = [];
    let seen = 0;
    judge(stream, {
      seen: () => (seen += 1),
      fault: (url, wanted, found) => {
        seen += 1;
        faults.push({ url, lines: [wanted, found] });
      },
    });
    const broken = level === "MUST" ? "FAIL" : "warn";
    const state = faults.length > 0 ? broken : seen > 0 ? "ok" : "not seen";
    return { id, section, level, words, state, seen, faults };
  });
}

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

/** Each neighbour pair of a list. */
export const pairs = <Item>(items: Item[]): [Item, Item][] =>
  items.slice(1).map((item, index) => [items[index]!, item]);
