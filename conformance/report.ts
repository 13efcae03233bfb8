import { styleText } from "node:util";
import type { Verdict } from "./rule.ts";

/** Number of faults to print per rule. */
const SHOWN = 3;
const LONGEST_LINE = 300;

const STATES = ["ok", "FAIL", "warn", "not seen"] as const;
const COLOURS = { ok: "green", FAIL: "red", warn: "yellow", "not seen": "dim" } as const;

const cut = (text: string) => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} …` : text);

/** A plain number is a section of the check's main document; other references include their document. */
const sectionText = (section: string) =>
  /^\d/.test(section) ? `§${section}` : section.startsWith("B.") ? `App. ${section}` : section;

function toLines({ state, section, words, seen, faults, id }: Verdict): string[] {
  const count = faults.length > 0 ? `${faults.length} of ${seen}` : state === "ok" ? `${seen}` : "";
  const head = `${styleText(COLOURS[state], state.padEnd(8))}  ${sectionText(section).padEnd(16)}  ${words}`;
  const evidence = faults
    .slice(0, SHOWN)
    .flatMap(({ url, lines: [wanted, found] }) => [
      `            ${cut(url)}`,
      `              wanted  ${cut(wanted)}`,
      `              found   ${cut(found)}`,
    ]);
  return [`${head}  ${styleText("dim", `${id}${count === "" ? "" : `, ${count}`}`)}`, ...evidence];
}

/** One line per rule. Violated rules are followed by the evidence: URL, expectation, finding. */
export const verdictLines = (verdicts: Verdict[]): string[] => verdicts.flatMap(toLines);

export const countVerdicts = (verdicts: Verdict[]): string =>
  STATES.map((state) => `${verdicts.filter((one) => one.state === state).length} ${state}`).join(", ");

/** Whether a check fails: a violated MUST, or with `strict` also a violated SHOULD. */
export const hasFailed = (verdicts: Verdict[], strict: boolean): boolean =>
  verdicts.some(({ state }) => state === "FAIL" || (strict && state === "warn"));
