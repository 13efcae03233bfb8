import { styleText } from "node:util";
import type { Checked } from "./check.ts";
import type { Verdict } from "./rule.ts";

/** Faults of one rule that are shown. */
const SHOWN = 3;
const LONGEST_LINE = 300;

const COLOURS = { ok: "green", FAIL: "red", warn: "yellow", "not seen": "dim" } as const;

const cut = (text: string) => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} …` : text);

function toLines({ state, section, words, seen, faults, id }: Verdict): string[] {
  const count = faults.length > 0 ? `${faults.length} of ${seen}` : state === "ok" ? `${seen}` : "";
  const head = `${styleText(COLOURS[state], state.padEnd(8))}  ${`§${section}`.replace("§B.1", "App. B.1").replace("§Fetch", "Fetch").padEnd(16)}  ${words}`;
  const evidence = faults
    .slice(0, SHOWN)
    .flatMap(({ url, lines: [wanted, found] }) => [
      `            ${cut(url)}`,
      `              wanted  ${cut(wanted)}`,
      `              found   ${cut(found)}`,
    ]);
  return [`${head}  ${styleText("dim", `${id}${count === "" ? "" : `, ${count}`}`)}`, ...evidence];
}

const counted = ({ verdicts }: Checked) =>
  (["ok", "FAIL", "warn", "not seen"] as const)
    .map((state) => `${verdicts.filter((one) => one.state === state).length} ${state}`)
    .join(", ");

/** One line a rule; under a broken one the evidence: where, what was wanted, what was found. */
export function toText(checked: Checked): string {
  const { stream, verdicts } = checked;
  const parts = stream.renditions.reduce(
    (sum, { media }) => sum + media.filter((one) => one.purpose === "part").length,
    0,
  );
  return [
    ...verdicts.flatMap(toLines),
    "",
    `${stream.url}: ${stream.renditions.length} renditions, ${parts} parts; ${counted(checked)}`,
  ].join("\n");
}

export const toJson = ({ stream, verdicts }: Checked): string =>
  JSON.stringify({ url: stream.url, renditions: stream.renditions.map(({ url }) => url), rules: verdicts }, null, 2);
