/** `npm run secrets`: manages a deployment's secrets in a file with mode 0600, which wrangler uploads (docs/guides/deploying.md). */
import { existsSync } from "node:fs";
import { flag, text, type Values } from "../sdk/cli/terminal/command-line.ts";
import { CommandError, UsageError } from "../sdk/cli/terminal/usage-error.ts";
import { runScript } from "./command/script.ts";
import { nearestName } from "../protocol/nearest-name.ts";
import { createSecrets, readSecrets, saveSecrets } from "./secrets/file.ts";
import { freshSecret, SECRET_NAMES, type SecretName, type SecretValues } from "./secrets/fresh.ts";
import { loadDeploySettings } from "./deploy/settings.ts";
import { finishCommand, uploadCommand, WAIT } from "./secrets/next-steps.ts";
import { BrokenFile } from "../sdk/cli/session/read-texts.ts";

const NAME = { name: "NAME", what: "The secret's name" };
const SECRETS = {
  name: "secrets",
  verbs: {
    new: { does: "makes all of them; an existing file is never overwritten" },
    rotate: { does: "adds a new secret before the old one: both are valid", argument: NAME },
    finish: { does: "removes the old one; of WEBHOOK_KEYS only with --yes", argument: NAME },
  },
  about: `Keeps the secrets of a deployment in a file that only you can read. After each change it prints the command that uploads them.
NAME is one of ${SECRET_NAMES.join(", ")}.`,
  options: {
    yes: flag("of finish WEBHOOK_KEYS: nothing is sealed with the old key any more"),
    file: text("FILE", "the file of the secrets (secretsFile of the settings, or secrets.json)"),
    config: text("FILE", "the settings of the deployment (sluice.config.json)"),
  },
};

function refuse(mistake: string): never {
  throw new UsageError(mistake);
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
    throw new CommandError(`${error.message}. Correct it, or restore it from your copy.`, { cause: error });
  }
}

/** The given `--file` and `--config`, for the commands in messages. */
const optionsOf = ({ file, config }: Values<typeof SECRETS.options>): string =>
  [file === undefined ? "" : ` --file ${file}`, config === undefined ? "" : ` --config ${config}`].join("");

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
  // Values sealed with a removed key are lost. A removed signing secret only invalidates what it signed.
  if (verb === "finish" && chosen === "WEBHOOK_KEYS" && !isConfirmed)
    refuse(`The old key opens what is still sealed with it. Remove it ${WAIT[chosen]}. Then add --yes.`);
  saveSecrets(file, {
    ...secrets,
    [chosen]: verb === "rotate" ? [freshSecret(chosen, list), ...list].join(",") : list[0]!,
  });
}

await runScript(SECRETS, async (values, [verb, name = ""]) => {
  const settings = await loadDeploySettings(values.config);
  const file = values.file ?? settings.secretsFile;
  if (verb === "new") return create(file);
  const chosen = chosenSecret(name);
  change(file, verb === "rotate" ? "rotate" : "finish", chosen, values.yes);
  console.log(`Now upload it: ${uploadCommand(file, settings)}`);
  if (verb === "rotate")
    console.log(`Then finish the rotation ${WAIT[chosen]}: ${finishCommand(chosen, optionsOf(values))}`);
});
