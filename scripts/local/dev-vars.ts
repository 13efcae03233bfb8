import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { secretList } from "../../protocol/secrets.ts";
import { currentKeyId } from "../../src/platform/crypto/sealing.ts";
import {
  freshSecrets,
  OPTIONAL_SECRETS,
  type OptionalSecret,
  SECRET_NAMES,
  type SecretName,
} from "../secrets/fresh.ts";
import { nearestName } from "../../protocol/nearest-name.ts";
import { VARIABLE_NAMES, variableProblem } from "../../src/platform/variables.ts";
import { writeTextPrivately } from "../../sdk/cli/session/write-privately.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { StartError, WRANGLER_STATE } from "./settings.ts";

const FILE = ".dev.vars";
const EXAMPLE = ".dev.vars.example";

/** Exists if the data may be sealed with secrets of `.dev.vars`. A bare `wrangler dev` has no secrets and leaves no such file. */
const SEALED = `${WRANGLER_STATE}/sealed`;

/**
 * The secrets that `wrangler dev` passes to the Worker. Creates `.dev.vars` from its example when it is missing. Empty values are generated, unless
 * existing data may be sealed with lost ones.
 *
 * @throws {StartError} when the file lacks a secret, or is missing although such data exists
 */
export async function ensureDevVars(): Promise<Record<SecretName, string> & Partial<Record<OptionalSecret, string>>> {
  const found = await readFile(FILE, "utf8").catch(() => null);
  if (found === null && existsSync(SEALED))
    throw new StartError(
      `${FILE} is missing, and its secrets have sealed data in .wrangler/state. Restore ${FILE}, or delete .wrangler/state: new secrets are created, which cannot open what the old ones sealed.`,
    );
  const given = found ?? (await readFile(EXAMPLE, "utf8"));
  const content = found === null || !existsSync(WRANGLER_STATE) ? fillIn(given) : given;
  if (content !== found) await writeTextPrivately(FILE, content);
  const vars = parseEnv(content);
  const missing = SECRET_NAMES.filter((name) => !vars[name]);
  if (missing.length > 0)
    throw new StartError(
      `${FILE} lacks ${missing.join(", ")}. Add what is missing as ${EXAMPLE} shows, or delete ${FILE} and .wrangler/state: new secrets are created, which cannot open what the old ones sealed.`,
    );
  const unusable = Object.entries(vars)
    .filter(([name]) => !SECRET_NAMES.includes(name as SecretName))
    .map(([name, value = ""]) => misspelling(name) ?? variableProblem(name, value))
    .filter((problem) => problem !== null);
  if (unusable.length > 0) throw new StartError(`${unusable.join("; ")}. Correct ${FILE}.`);
  try {
    secretList("JOB_SECRET", vars["JOB_SECRET"]);
    secretList("ENCODER_SECRET", vars["ENCODER_SECRET"]);
    currentKeyId(vars["WEBHOOK_KEYS"] ?? "");
  } catch (error) {
    throw new StartError(
      `${(error as Error).message}. Correct ${FILE}, or delete it and .wrangler/state: new secrets are created, which cannot open what the old ones sealed.`,
    );
  }
  await makePrivateFolder(WRANGLER_STATE);
  await writeFile(SEALED, "");
  return vars as Record<SecretName, string>;
}

/** Other names that do not resemble ours are the developer's own variables. */
function misspelling(name: string): string | null {
  if ((VARIABLE_NAMES as string[]).includes(name) || (OPTIONAL_SECRETS as readonly string[]).includes(name))
    return null;
  const nearest = nearestName(name, [...VARIABLE_NAMES, ...SECRET_NAMES, ...OPTIONAL_SECRETS]);
  return nearest === null ? null : `there is no variable ${name} (did you mean ${nearest}?)`;
}

/** Fills in the empty secrets. */
function fillIn(content: string): string {
  const secrets = freshSecrets();
  return content.replaceAll(/^([A-Z_]+)=$/gm, (line, name: SecretName) =>
    secrets[name] ? `${name}=${secrets[name]}` : line,
  );
}
