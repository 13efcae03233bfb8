/** `npm run secrets`: manages a deployment's secrets in a file with mode 0600, which wrangler uploads (docs/guides/deploying.md). */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { optionMistake } from "../sdk/cli/terminal/option-mistake.ts";
import { nearestName } from "../protocol/nearest-name.ts";
import { createSecrets, readSecrets, saveSecrets } from "./secrets/file.ts";
import { freshSecret, SECRET_NAMES, type SecretName, type SecretValues } from "./secrets/fresh.ts";
import { loadDeploySettings } from "./deploy/settings.ts";
import { swallowedOptions } from "./local/swallowed-options.ts";
import { finishCommand, uploadCommand, WAIT } from "./secrets/next-steps.ts";
import { refuseUsage, runCommand } from "./workspaces/command.ts";
import { BrokenFile } from "../sdk/cli/session/read-texts.ts";
import { mistakeIn } from "./workspaces/verbs.ts";

const USAGE = `npm run secrets -- new | rotate NAME | finish NAME  [--file FILE] [--config FILE]

Keeps the secrets of a deployment in a file that only you can read. After each change it prints the command that uploads them.

  new                 makes all of them; an existing file is never overwritten
  rotate NAME         adds a new secret before the old one: both are valid
  finish NAME         removes the old one; of WEBHOOK_KEYS only with --yes

  NAME                ${SECRET_NAMES.join(", ")}
  --file FILE         the file of the secrets (secretsFile of the settings, or secrets.json)
  --config FILE       the settings of the deployment (sluice.config.json)`;

const refuse = (words: string): never => refuseUsage(USAGE, words);

function readArguments() {
  const options = {
    help: { type: "boolean" },
    yes: { type: "boolean", default: false },
    file: { type: "string" },
    config: { type: "string" },
  } as const;
  try {
    const swallowed = swallowedOptions(["yes", "file", "config"]);
    if (swallowed !== null) refuse(swallowed);
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return refuse(optionMistake(error, options));
  }
}

function chosenSecret(name: string): SecretName {
  const chosen = SECRET_NAMES.find((one) => one === name);
  if (chosen !== undefined) return chosen;
  const nearest = nearestName(name, SECRET_NAMES);
  return refuse(`There is no secret ${name}${nearest === null ? "." : `; did you mean ${nearest}?`}`);
}

function readExisting(file: string): SecretValues {
  if (!existsSync(file)) refuse(`${file} does not exist.`);
  try {
    return readSecrets(file);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    console.error(`${error.message}. Correct it, or restore it from your copy.`);
    return process.exit(1);
  }
}

const VERBS = { new: null, rotate: { what: "The secret's name" }, finish: { what: "The secret's name" } } as const;

/** `--file` and `--config` as they were given, for the commands that follow. */
const optionsOf = ({ file, config }: { file?: string; config?: string }): string =>
  [file === undefined ? "" : ` --file ${file}`, config === undefined ? "" : ` --config ${config}`].join("");

async function runSecrets(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) return console.log(USAGE);
  const [verb, ...rest] = positionals;
  const mistake = mistakeIn(VERBS, verb, rest);
  if (mistake !== null) refuse(mistake);
  const settings = await loadDeploySettings(values.config);
  const file = values.file ?? settings.secretsFile;
  if (verb === "new") return create(file);
  const chosen = chosenSecret(rest[0] ?? "");
  change(file, verb === "rotate" ? "rotate" : "finish", chosen, values.yes);
  console.log(`Now upload it: ${uploadCommand(file, settings)}`);
  if (verb === "rotate")
    console.log(`Then finish the rotation ${WAIT[chosen]}: ${finishCommand(chosen, optionsOf(values))}`);
}

function create(file: string): void {
  if (!createSecrets(file))
    refuse(`${file} already exists; overwriting it would destroy the secrets of the deployment that uses it.`);
  console.log(`${file} has ${SECRET_NAMES.join(", ")}. Keep a safe copy: secrets cannot be read back from Cloudflare.`);
}

function change(file: string, verb: "rotate" | "finish", chosen: SecretName, isConfirmed: boolean): void {
  const secrets = readExisting(file);
  const list = secrets[chosen].split(",");
  if (verb === "rotate" && list.length > 1) refuse(`${chosen} is already being rotated: finish that rotation first.`);
  if (verb === "finish" && list.length === 1) refuse(`${chosen} is not being rotated.`);
  // What is sealed with a removed key is lost. A removed signing secret only ends what it signed.
  if (verb === "finish" && chosen === "WEBHOOK_KEYS" && !isConfirmed)
    refuse(`The old key opens what is still sealed with it. Remove it ${WAIT[chosen]}. Then add --yes.`);
  saveSecrets(file, {
    ...secrets,
    [chosen]: verb === "rotate" ? [freshSecret(chosen, list), ...list].join(",") : list[0]!,
  });
}

await runCommand(runSecrets);
