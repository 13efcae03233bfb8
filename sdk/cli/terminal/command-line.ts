import { parseArgs } from "node:util";
import { nearestName } from "../../../protocol/nearest-name.ts";
import { UsageError } from "./usage-error.ts";

/** The command lines of `sluice` and of the npm scripts: one table per command gives its options, their types and its help. */

/** An option of a command. One with several values is repeated on the command line. */
export interface Option<Value> {
  /** What the help calls its value; null = a flag, which has none. */
  readonly value: string | null;
  readonly what: string;
  /** @throws {UsageError} for an invalid value */
  read(given: readonly string[], name: string): Value;
}
export type Options = Readonly<Record<string, Option<unknown>>>;
export type Values<Table extends Options> = {
  [Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never;
};

export const flag = (what: string): Option<boolean> => ({ value: null, what, read: (given) => given.length > 0 });

export const text = (value: string, what: string): Option<string | undefined> => ({
  value,
  what,
  read: (given) => given.at(-1),
});

export const repeatedText = (value: string, what: string): Option<readonly string[]> => ({
  value,
  what,
  read: (given) => given,
});

export const oneOf = <Value extends string>(
  value: string,
  choices: readonly Value[],
  what: string,
): Option<Value | undefined> => ({
  value,
  what,
  read(given, name) {
    const last = given.at(-1);
    const chosen = choices.find((choice) => choice === last);
    if (last === undefined || chosen !== undefined) return chosen;
    throw new UsageError(`--${name} is "${last}"; it must be one of ${choices.join(", ")}.`);
  },
});

/** The help ends with the default, if there is one. */
export const integer = <Default extends number | undefined = undefined>(
  value: string,
  [least, most]: readonly [number, number],
  what: string,
  usual?: Default,
): Option<number | Default> => ({
  value,
  what: usual === undefined ? what : `${what} (${usual})`,
  read(given, name) {
    const last = given.at(-1);
    if (last === undefined) return usual as Default;
    const number = Number(last);
    if (!/^\d+$/.test(last) || number < least || number > most)
      throw new UsageError(`--${name} is "${last}"; it must be an integer from ${least} to ${most}.`);
    return number;
  },
});

/** @throws {UsageError} for an unknown option, one without its value, or an invalid value */
export function parseOptions<Table extends Options>(
  args: readonly string[],
  table: Table,
): { values: Values<Table>; words: string[] } {
  const options: Record<string, { type: "boolean" | "string" }> = {};
  for (const [name, { value }] of Object.entries(table))
    options[name] = { type: value === null ? "boolean" : "string" };
  // Not strict: our refusal names the option that was meant.
  const { tokens, positionals } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (option === undefined) throw new UsageError(unknownOption(rawName, Object.keys(table)));
    if (option.value === null && value !== undefined) throw new UsageError(`The option ${rawName} takes no value.`);
    // A value may begin with a dash in `--file=-x`; in `--file --yes` it is missing.
    if (option.value !== null && (value === undefined || (!token.inlineValue && /^-./.test(value))))
      throw new UsageError(`The option ${rawName} needs a value.`);
    given.set(name, [...(given.get(name) ?? []), value ?? ""]);
  }
  const values = Object.entries(table).map(([name, option]) => [name, option.read(given.get(name) ?? [], name)]);
  return { values: Object.fromEntries(values) as Values<Table>, words: positionals };
}

/** A message names so many options; of more, people would not find theirs. */
const MOST_NAMED = 12;

function unknownOption(given: string, names: readonly string[]): string {
  const known = names.length === 0 ? ["--help"] : names.map((name) => `--${name}`);
  const nearest = nearestName(given, known);
  const hint = nearest === null ? "" : `; did you mean ${nearest}?`;
  const list =
    known.length > MOST_NAMED
      ? " (--help lists all)"
      : ` (there ${known.length === 1 ? "is" : "are"} ${known.join(", ")})`;
  return `There is no option ${given}${hint}${list}.`;
}

export const wantsHelp = (args: readonly string[]): boolean => args.includes("--help") || args.includes("-h");

const formOf = ([name, { value }]: [string, Option<unknown>]) => `--${name}${value === null ? "" : ` ${value}`}`;

/** All options on one line: `[--json] [--limit N]`. */
export const optionForms = (table: Options): string =>
  Object.entries(table)
    .map((entry) => `[${formOf(entry)}]`)
    .join(" ");

/** The form of each option and what it does. */
export const optionRows = (table: Options): [string, string][] =>
  Object.entries(table).map((entry) => [formOf(entry), entry[1].what]);

/** Two columns. An explanation of several lines is indented. */
export function alignedLines(rows: readonly (readonly [string, string])[], indent = "  "): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length)) + 3;
  const next = `\n${indent}${" ".repeat(width)}`;
  return rows.map(([name, what]) => `${indent}${name.padEnd(width)}${what.replaceAll("\n", next)}`).join("\n");
}
