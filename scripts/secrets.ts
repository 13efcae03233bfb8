/**
 * Manages a deployment's secrets in a file with mode 0600, which wrangler uploads (docs/guides/deploying.md).
 *
 *   npm run secrets -- new             creates all of them; refuses to overwrite a file
 *   npm run secrets -- rotate NAME     adds a new secret before the old one: both are valid
 *   npm run secrets -- finish NAME     removes the old one; of WEBHOOK_KEYS only with --yes
 *   --file PATH                        secrets.json
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { optionMistake } from "./local/option-mistake.ts";
import { nearestName } from "../src/platform/http/nearest-name.ts";
import { createSecrets, readSecrets, saveSecrets } from "./secrets/file.ts";
import { freshSecret, SECRET_NAMES, type SecretName, type SecretValues } from "./secrets/fresh.ts";
import { readSettingsText, uploadCommand, WAIT } from "./secrets/next-steps.ts";
import { BrokenFile } from "../sdk/cli/session/read-texts.ts";
import { mistakeIn } from "./workspaces/verbs.ts";

const USAGE = `npm run secrets -- new | rotate NAME | finish NAME [--yes]  [--file secrets.json]   (NAME: ${SECRET_NAMES.join(", ")})`;

function refuse(words: string): never {
  console.error(`${words}\n${USAGE}`);
  process.exit(2);
}

function readArguments() {
  const options = {
    help: { type: "boolean" },
    yes: { type: "boolean", default: false },
    file: { type: "string", default: "secrets.json" },
  } as const;
  try {
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

const { values, positionals } = readArguments();
const { file, help, yes } = values;
if (help) {
  console.log(USAGE);
  process.exit(0);
}
const [verb, ...rest] = positionals;
const mistake = mistakeIn(VERBS, verb, rest);
if (mistake !== null) refuse(mistake);

if (verb === "new") {
  if (!createSecrets(file))
    refuse(`${file} already exists; overwriting it would destroy the secrets of the deployment that uses it.`);
  console.log(`${file} has ${SECRET_NAMES.join(", ")}. Keep a safe copy: secrets cannot be read back from Cloudflare.`);
} else {
  const chosen = chosenSecret(rest[0] ?? "");
  const secrets = readExisting(file);
  const list = secrets[chosen].split(",");
  if (verb === "rotate" && list.length > 1) refuse(`${chosen} is already being rotated: finish that rotation first.`);
  if (verb === "finish" && list.length === 1) refuse(`${chosen} is not being rotated.`);
  // What is sealed with a removed key is lost. A removed signing secret only ends what it signed.
  if (verb === "finish" && chosen === "WEBHOOK_KEYS" && !yes)
    refuse(`The old key opens what is still sealed with it. Remove it ${WAIT[chosen]}. Then add --yes.`);
  saveSecrets(file, {
    ...secrets,
    [chosen]: verb === "rotate" ? [freshSecret(chosen, list), ...list].join(",") : list[0]!,
  });
  console.log(`Now upload it: ${uploadCommand(file, readSettingsText("sluice.config.json"))}`);
  if (verb === "rotate")
    console.log(
      `Then finish the rotation ${WAIT[chosen]}: npm run secrets -- finish ${chosen}${chosen === "WEBHOOK_KEYS" ? " --yes" : ""}`,
    );
}
