import { styleText } from "node:util";
import type { Verdict } from "./rule.ts";

/** Faults of one rule that are shown. */
const SHOWN = 3;
const LONGEST_LINE = 300;

const STATES = ["ok", "FAIL", "warn", "not seen"] as const;
const COLOURS = { ok: "green", FAIL: "red", warn: "yellow", "not seen": "dim" } as const;

const cut = (text: string) => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} …` : text);

/** A number is a section of the one document that a check is about; others come with their document. */
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

/** One line a rule; under a broken one the evidence: where, what was wanted, what was found. */
export const verdictLines = (verdicts: Verdict[]): string[] => verdicts.flatMap(toLines);

export const countVerdicts = (verdicts: Verdict[]): string =>
  STATES.map((state) => `${verdicts.filter((one) => one.state === state).length} ${state}`).join(", ");

/** Whether a check fails: a broken MUST, with `strict` a broken SHOULD too. */
export const hasFailed = (verdicts: Verdict[], strict: boolean): boolean =>
  verdicts.some(({ state }) => state === "FAIL" || (strict && state === "warn"));
