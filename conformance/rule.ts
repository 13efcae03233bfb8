/** Rules of a specification, and how a conformance check judges evidence from a server. */
export interface Fault {
  url: string;
  /** Two lines: the requirement or the earlier state, and the finding. */
  lines: [string, string];
}

export interface Rule<Evidence> {
  id: string;
  section: string;
  level: "MUST" | "SHOULD";
  words: string;
  /** Pure: reports how often the rule was applicable (`seen`), and its violations. */
  judge: (evidence: Evidence, report: Reporter) => void;
}

/** Constructors for the rules of one specification. */
export const rulesOf = <Evidence>() => {
  type Judge = Rule<Evidence>["judge"];
  const make =
    (level: Rule<Evidence>["level"]) =>
    (id: string, section: string, words: string, judge: Judge): Rule<Evidence> => ({
      id,
      section,
      level,
      words,
      judge,
    });
  return { must: make("MUST"), should: make("SHOULD") };
};

export interface Reporter {
  seen: () => void;
  /** Counts as seen. */
  fault: (url: string, wanted: string, found: string) => void;
}

export interface Verdict {
  id: string;
  section: string;
  level: "MUST" | "SHOULD";
  words: string;
  state: "ok" | "FAIL" | "warn" | "not seen";
  seen: number;
  faults: Fault[];
}

/** A violated MUST fails; a violated SHOULD is a warning. */
export function judge<Evidence>(rules: Rule<Evidence>[], evidence: Evidence): Verdict[] {
  return rules.map(({ id, section, level, words, judge }) => {
    const faults: Fault[] = [];
    let seen = 0;
    judge(evidence, {
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

/** All pairs of adjacent items. */
export const pairs = <Item>(items: Item[]): [Item, Item][] =>
  items.slice(1).map((item, index) => [items[index]!, item]);
