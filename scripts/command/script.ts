import {
  alignedLines,
  optionForms,
  type Options,
  optionRows,
  parseOptions,
  type Values,
  wantsHelp,
} from "../../sdk/cli/terminal/command-line.ts";
import { CommandError, UsageError } from "../../sdk/cli/terminal/usage-error.ts";
import { takenByNpm } from "./taken-by-npm.ts";
import { verbMistake, verbRows, type Verbs } from "./verbs.ts";

/** The command line of an npm script. */
export interface Script<Table extends Options = Options> {
  /** As package.json names it. */
  name: string;
  /** What its one optional argument is called; without it and verbs, it takes none. */
  argument?: string;
  verbs?: Verbs;
  /** In place of the usage that the fields above give, for a script with other words, which it checks itself. */
  usage?: string;
  about?: string;
  options: Table;
  /** The environment variables that it reads. */
  variables?: Readonly<Record<string, string>>;
  notes?: string;
}

/**
 * Runs a script with the arguments of the process, and reports what fails: a `UsageError` ends the process with status 2, a `CommandError` with
 * status 1.
 *
 * @param run gets the options, and the words that are not options; with verbs, the first word is one of them
 */
export async function runScript<Table extends Options>(
  script: Script<Table>,
  run: (values: Values<Table>, words: string[]) => Promise<unknown> | void,
): Promise<void> {
  const { values, words } = readScript(script);
  try {
    await run(values, words);
  } catch (error) {
    if (error instanceof UsageError) refuseUsage(script, error.message);
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** The arguments of the process. For `--help` it prints the help and ends the process, and for a mistake it refuses the usage. */
export function readScript<Table extends Options>(script: Script<Table>): { values: Values<Table>; words: string[] } {
  const args = process.argv.slice(2);
  if (wantsHelp(args)) {
    console.log(helpOf(script));
    process.exit(0);
  }
  try {
    const taken = takenByNpm(script, args);
    if (taken !== null) throw new UsageError(taken);
    const parsed = parseOptions(args, script.options);
    const mistake = wordMistake(script, parsed.words);
    if (mistake !== null) throw new UsageError(mistake);
    return parsed;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refuseUsage(script, error.message);
  }
}

/** Prints the mistake and the help, and ends the process with status 2. */
export function refuseUsage(script: Script, mistake: string): never {
  console.error(`${mistake}\n\n${helpOf(script)}`);
  process.exit(2);
}

function wordMistake({ usage, verbs, argument }: Script, words: readonly string[]): string | null {
  if (usage !== undefined) return null;
  return verbs === undefined ? extraWord(argument, words) : verbMistake(verbs, words);
}

function extraWord(argument: string | undefined, words: readonly string[]): string | null {
  const extra = words[argument === undefined ? 0 : 1];
  return extra === undefined ? null : `Unexpected argument "${extra}".`;
}

function helpOf(script: Script): string {
  const { about, options, variables = {}, notes } = script;
  const rows = [...optionRows(options), ...Object.entries(variables)];
  const parts = [script.usage ?? usageOf(script), about, rows.length === 0 ? undefined : alignedLines(rows), notes];
  return parts.filter((part) => part !== undefined).join("\n\n");
}

function usageOf({ name, argument, verbs, options }: Script): string {
  const command = name === "start" ? "npm start" : `npm run ${name}`;
  if (verbs !== undefined) return alignedLines(verbRows(`${command} --`, verbs), "");
  const words = [argument === undefined ? "" : `[${argument}]`, optionForms(options)].filter((word) => word !== "");
  return words.length === 0 ? command : `${command} [-- ${words.join(" ")}]`;
}
