/** The common command line of both checkers: options, output, exit codes. */
import { parseArgs } from "node:util";
import { hasFailed } from "./report.ts";
import type { Verdict } from "./rule.ts";

export interface Command<Checked extends { verdicts: Verdict[] }> {
  help: string;
  /** The expected resource, with its article: "an MPD". */
  subject: string;
  defaultSeconds: number;
  /** The checker's own options with a value, by name, with their defaults. */
  options?: Record<string, string>;
  /** Printed at the start. */
  begins: (url: string, seconds: number) => string;
  check: (url: string, seconds: number, options: Record<string, string>) => Promise<Checked>;
  toText: (checked: Checked) => string;
  toJson: (checked: Checked) => string;
}

/** Runs a checker on the process's arguments. Exit code 0: no rule fails; 1: a rule fails; 2: nothing to check. */
export async function runCommand<Checked extends { verdicts: Verdict[] }>(command: Command<Checked>): Promise<void> {
  try {
    const { url, seconds, options, json, strict, help } = readOptions(command);
    if (help) return console.log(command.help);
    if (!json) console.error(`${command.begins(url, seconds)}\n`);
    const checked = await command.check(url, seconds, options);
    console.log(json ? command.toJson(checked) : command.toText(checked));
    process.exitCode = hasFailed(checked.verdicts, strict) ? 1 : 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}

function readOptions({ subject, defaultSeconds, options: own = {} }: Omit<Command<never>, "check">) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        Object.entries(own).map(([name, value]) => [name, { type: "string" as const, default: value }]),
      ),
      seconds: { type: "string", default: String(defaultSeconds) },
      json: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { json, strict, help, ...texts } = values;
  const options: Record<string, string> = texts;
  const [url, ...rest] = positionals;
  const seconds = Number(options["seconds"]);
  if (help) return { url: "", seconds, options, json, strict, help };
  if (url === undefined || rest.length > 0 || !/^https?:/.test(url))
    throw new Error(`Give one http(s) URL of ${subject}.`);
  if (!(seconds > 0)) throw new Error(`--seconds is "${options["seconds"]}"; it must be a number above 0.`);
  return { url, seconds, options, json, strict, help };
}
