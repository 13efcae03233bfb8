import { nearestName } from "../../protocol/nearest-name.ts";
import { ApiError, SluiceError } from "../index.ts";
import { captions } from "./commands/captions.ts";
import { eventsTail } from "./commands/events-tail.ts";
import { list } from "./commands/list.ts";
import { liveCreate } from "./commands/live-create.ts";
import { login } from "./commands/login.ts";
import { upload } from "./commands/upload.ts";
import { webhooksListen } from "./commands/webhooks-listen.ts";
import { whisperGet } from "./commands/whisper-get.ts";
import { BATCH_COMMANDS } from "./imports/commands/all.ts";
import { importLibrary } from "./imports/commands/import.ts";
import type { Command } from "./terminal/command.ts";
import { alignedLines, wantsHelp } from "./terminal/command-line.ts";
import { INTERRUPTED } from "./terminal/interrupt.ts";
import { CommandError, Interrupted, UsageError } from "./terminal/usage-error.ts";
import manifest from "../package.json" with { type: "json" };

/** The commands of the help. Those of a batch are in the help of `import`. */
const LISTED: Record<string, Command> = {
  login,
  upload,
  list,
  captions,
  "live create": liveCreate,
  "events tail": eventsTail,
  "webhooks listen": webhooksListen,
  "whisper get": whisperGet,
  import: importLibrary,
};

const COMMANDS: Readonly<Record<string, Command>> = { ...LISTED, ...BATCH_COMMANDS };

const HELP = `sluice COMMAND [--help]

${alignedLines([...Object.entries(LISTED).map(([name, { summary }]) => [name, summary] as const), ["--version", "prints the version"]])}

Exit status: 0, 1 after a failure, 2 for a wrong usage, 130 after Ctrl-C. That of import: see its help.`;

/** The command line. @returns the exit status */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0); // the reader, such as `head`, has seen enough
    throw error;
  });
  const isJson = args.includes("--json");
  try {
    const [name, command] = findCommand(args);
    const rest = args.slice(name.split(" ").length);
    if (!wantsHelp(rest)) return await command.run(rest);
    console.log(command.help);
    return 0;
  } catch (error) {
    return report(error, isJson);
  }
}

const HELP_WORDS: ReadonlySet<string> = new Set(["help", "--help", "-h"]);

const VERSION_WORDS: ReadonlySet<string> = new Set(["version", "--version", "-v", "-V"]);

/** Commands of two words, when only the first is given. */
const commandsOf = (first: string): string[] => Object.keys(LISTED).filter((name) => name.startsWith(`${first} `));

function suggestionFor(first: string, second: string): string {
  const names = Object.keys(LISTED);
  const near = nearestName(first, names) ?? nearestName(`${first} ${second}`, names);
  const meant = commandsOf(first).length > 0 ? commandsOf(first) : near === null ? [] : [near];
  return meant.length === 0 ? "" : ` Did you mean ${meant.map((name) => `"${name}"`).join(" or ")}?`;
}

/** The words that were meant as the command's name. */
const typed = (first: string, second: string): string =>
  commandsOf(first).length > 0 && second !== "" && !second.startsWith("-") ? `${first} ${second}` : first;

/** Of the longest name: `import credentials delete`. */
const MOST_WORDS = 3;

/** The command with the longest name that was typed. @throws {UsageError} */
function findCommand(args: readonly string[]): [string, Command] {
  const [first = "", second = ""] = args;
  const isHelpOfGroup = HELP_WORDS.has(second) && commandsOf(first).length > 0; // `sluice live --help`
  if (first === "" || HELP_WORDS.has(first) || isHelpOfGroup) return ["", printing(HELP)];
  if (VERSION_WORDS.has(first)) return ["", printing(manifest.version)];
  for (let words = MOST_WORDS; words > 0; words--) {
    const name = args.slice(0, words).join(" ");
    if (Object.hasOwn(COMMANDS, name)) return [name, COMMANDS[name]!];
  }
  throw new UsageError(`There is no command "${typed(first, second)}".${suggestionFor(first, second)}\n\n${HELP}`);
}

function printing(text: string): Command {
  const print = async () => {
    console.log(text);
    return 0;
  };
  return { summary: "", help: text, run: print };
}

/** Explains a failure. One that is not expected is a fault of this program, so it keeps its stack. */
function report(error: unknown, isJson: boolean): number {
  if (error instanceof Interrupted) return INTERRUPTED;
  const isUsage = error instanceof UsageError;
  if (!isUsage && !(error instanceof CommandError) && !(error instanceof SluiceError)) throw error;
  const { message } = error;
  const details = error instanceof ApiError ? { status: error.status, fields: error.fields } : {};
  if (isJson) console.log(JSON.stringify({ kind: "error", message, ...details }));
  else console.error(error instanceof ApiError ? inWords(error) : sentence(message));
  return isUsage ? 2 : 1;
}

/** The environment has precedence, so a login would change nothing. */
const credentialsHint = (env: NodeJS.ProcessEnv): string =>
  env["SLUICE_ACCESS_TOKEN"] === undefined
    ? "Log in with sluice login."
    : "They are those of SLUICE_ACCESS_TOKEN and SLUICE_SECRET_KEY: correct these variables, or unset them to use another login.";

const sentence = (message: string) =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?]$/.test(message) ? "" : "."}`;

function inWords({ status, message, fields, requestId }: ApiError): string {
  if (status === 401) return `The platform refuses the credentials (401). ${credentialsHint(process.env)}`;
  const request = requestId === "" ? "" : ` (request ${requestId})`;
  if (fields.length === 0) return `The platform answered with ${status}: ${message}${request}.`;
  const invalid = fields.map(({ field, message }) => `  ${field}: ${message}`).join("\n");
  return `The platform refused the request (${status})${request}:\n${invalid}`;
}
