import { alignedLines, type Options, optionForms, optionRows, parseOptions, type Values } from "./command-line.ts";
import { UsageError } from "./usage-error.ts";

/** A command of `sluice`. */
export interface Command {
  /** One line, for the list of commands. */
  summary: string;
  /** The text of `--help`. */
  help: string;
  /** @returns the exit status */
  run(args: readonly string[]): Promise<number>;
}

interface Declaration<Table extends Options> {
  /** As typed after `sluice`. */
  name: string;
  summary: string;
  /** What its one argument is called; without it, the command takes none. */
  argument?: string;
  /** In place of all options on the first line of the help, where they are many. */
  forms?: string;
  about: string;
  options: Table;
  notes?: string;
  /**
   * @param argument "" when the command takes none
   * @returns the exit status
   */
  run(values: Values<Table>, argument: string): Promise<number>;
}

export function defineCommand<Table extends Options>(declared: Declaration<Table>): Command {
  const { name, summary, argument, about, options, notes, forms = optionForms(options) } = declared;
  const usage = ["sluice", name, ...(argument === undefined ? [] : [argument]), forms].join(" ");
  const help = [usage, about, alignedLines(optionRows(options)), ...(notes === undefined ? [] : [notes])].join("\n\n");
  const run = async (args: readonly string[]) => {
    const { values, words } = parseOptions(args, options);
    const [first, second] = argument === undefined ? [undefined, ...words] : words;
    if (argument !== undefined && first === undefined)
      throw new UsageError(`${argument.replace("|", " or ")} is missing.`);
    if (second !== undefined) throw new UsageError(`Unexpected argument "${second}".`);
    return await declared.run(values, first ?? "");
  };
  return { summary, help, run };
}
