import type { ParseArgsConfig } from "node:util";
import { nearestName } from "../../../protocol/nearest-name.ts";

/** In Node's words: "Unknown option '--foo'. …", "Option '--file <value>' argument missing", "Option '--file' argument is ambiguous. …". */
const UNKNOWN = /^Unknown option '(-[^']*)'/;
const WITHOUT_VALUE = /^Option '[^']*?(--[^' ]+)( <value>)?' argument (missing|is ambiguous)/;

/** @returns what is wrong with the options of a command, in one sentence; for any error other than `parseArgs`' its message */
export function optionMistake(error: unknown, options: NonNullable<ParseArgsConfig["options"]>): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (!code?.startsWith("ERR_PARSE_ARGS")) return message;
  const known = Object.keys(options).map((name) => `--${name}`);
  const unknown = UNKNOWN.exec(message)?.[1];
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, known);
    const hint = nearest === null ? "" : `; did you mean ${nearest}?`;
    return `There is no option ${unknown}${hint} (there ${known.length === 1 ? "is" : "are"} ${known.join(", ")})`;
  }
  const empty = WITHOUT_VALUE.exec(message)?.[1];
  return empty === undefined ? message.split("\n")[0]! : `The option ${empty} needs a value.`;
}
