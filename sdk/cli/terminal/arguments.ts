import { parseArgs, type ParseArgsConfig } from "node:util";
import { optionMistake } from "./option-mistake.ts";
import { UsageError } from "./usage-error.ts";

type OptionsConfig = NonNullable<ParseArgsConfig["options"]>;
type Parsed<Options extends OptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>["values"];

/** A command of `sluice`. */
export interface Command {
  /** Of one line, for the list of commands. */
  summary: string;
  /** Of `--help`. */
  usage: string;
  /** @returns the exit status */
  run(args: readonly string[]): Promise<number>;
}

/**
 * The options of a command, and its one argument if it has one.
 *
 * @throws {UsageError}
 */
export function readArguments<Options extends OptionsConfig>(
  args: readonly string[],
  options: Options,
  argument?: string,
): { values: Parsed<Options>; given: string } {
  const { values, positionals } = parse(args, options);
  const expected = argument === undefined ? 0 : 1;
  if (positionals.length < expected) throw new UsageError(`${argument} is missing.`);
  if (positionals.length > expected) throw new UsageError(`Unexpected: ${positionals.slice(expected).join(" ")}`);
  return { values, given: positionals[0] ?? "" };
}

function parse<Options extends OptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS")) throw error;
    throw new UsageError(optionMistake(error, options), { cause: error });
  }
}

/** @throws {UsageError} unless the text is one of the values, or undefined */
export function oneOf<Value extends string>(
  option: string,
  text: string | undefined,
  values: readonly Value[],
): Value | undefined {
  if (text === undefined) return undefined;
  const found = values.find((value) => value === text);
  if (found === undefined) throw new UsageError(`${option} is "${text}"; it must be one of ${values.join(", ")}.`);
  return found;
}

/** @throws {UsageError} unless the text is an integer in this range */
export function integerIn(option: string, text: string, [least, most]: readonly [number, number]): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new UsageError(`${option} is "${text}"; it must be an integer from ${least} to ${most}.`);
  return value;
}
