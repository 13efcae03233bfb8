import { parseArgs } from "node:util";
import { DeployError } from "../deploy/settings.ts";
import { optionMistake } from "../../sdk/cli/terminal/option-mistake.ts";
import { StartError } from "../local/settings.ts";
import { swallowedOptions } from "../local/swallowed-options.ts";
import type { Target } from "./open.ts";
import { mistakeIn, type Verbs } from "./verbs.ts";

/** Shared by `npm run workspace` and `npm run credential`. */

export interface Command {
  verb: string;
  rest: string[];
  target: Target;
  workspace: string | undefined;
}

const MAX_NAME_LENGTH = 200;
const OPTIONS = {
  help: { type: "boolean" },
  remote: { type: "boolean", default: false },
  dev: { type: "boolean", default: false },
  config: { type: "string" },
  workspace: { type: "string" },
} as const;

/** Ends the process with the usage for `--help`, and with the mistake and the usage for a wrong command. */
export function parseCommand(usage: string, verbs: Verbs): Command {
  try {
    const swallowed = swallowedOptions(["remote", "dev"]);
    if (swallowed !== null) refuseUsage(usage, swallowed);
    const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
    const { help, remote, dev, config, workspace } = values;
    if (help) {
      console.log(usage);
      process.exit(0);
    }
    if (remote && dev) refuseUsage(usage, "--remote and --dev exclude each other.");
    const [verb = "", ...rest] = positionals;
    const mistake = mistakeIn(verbs, positionals[0], rest);
    if (mistake !== null) refuseUsage(usage, mistake);
    if (rest.some((text) => text.trim() === "" || text.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(text)))
      refuseUsage(usage, `A name has 1 to ${MAX_NAME_LENGTH} characters and no control characters.`);
    return { verb, rest, target: { remote, dev, ...(config === undefined ? {} : { config }) }, workspace };
  } catch (error) {
    return refuseUsage(usage, optionMistake(error, OPTIONS));
  }
}

/** The options with which another command reaches the same installation, each with a space before it. */
export const optionsOf = ({ remote, dev, config }: Target): string =>
  [remote ? " --remote" : "", dev ? " --dev" : "", config === undefined ? "" : ` --config ${config}`].join("");

export function refuseUsage(usage: string, reason = ""): never {
  console.error(reason === "" ? usage : `${reason}\n\n${usage}`);
  process.exit(2);
}

/** Prints an error that is meant for the user, and ends with status 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof StartError || error instanceof DeployError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
