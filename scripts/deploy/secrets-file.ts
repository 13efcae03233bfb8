import { existsSync, readFileSync } from "node:fs";
import { secretList } from "../../protocol/secrets.ts";
import { currentKeyId } from "../../src/platform/crypto/sealing.ts";
import { SECRET_NAMES, type SecretName } from "../secrets/fresh.ts";
import { BrokenFile, readTexts } from "../../sdk/cli/session/read-texts.ts";
import { DeployError } from "./settings.ts";

/** Checks `secrets.json` before a deployment: wrangler would upload unusable values, and quote them in its messages. */

const CHECKS: Record<SecretName, (value: string) => unknown> = {
  JOB_SECRET: (value) => secretList("JOB_SECRET", value),
  ENCODER_SECRET: (value) => secretList("ENCODER_SECRET", value),
  WEBHOOK_KEYS: currentKeyId,
};

/**
 * @returns the names of the file's secrets; null = there is no file
 * @throws {DeployError} for a file that cannot be read, and for a secret that the Worker would refuse
 */
export function requireUsableSecrets(file: string): ReadonlySet<string> | null {
  if (!existsSync(file)) return null;
  try {
    const values = readTexts(file, readFileSync(file, "utf8"), []) as Partial<Record<SecretName, unknown>>;
    const given = SECRET_NAMES.filter((name) => values[name] !== undefined);
    readTexts(file, JSON.stringify(values), given);
    const problems = given.flatMap((name) => problemOf(name, values[name] as string) ?? []);
    if (problems.length > 0) throw new DeployError(problems.map((problem) => `${file}: ${problem}`).join("\n"));
    return new Set(given);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new DeployError(`${error.message}. Correct it, or restore it from your copy.`);
  }
}

function problemOf(name: SecretName, value: string): string | null {
  try {
    CHECKS[name](value);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * @param inFile null = there is no file, and one is created for a Worker without secrets
 * @param ofWorker null = there is no Worker
 * @throws {DeployError} when neither the file nor the Worker has a secret
 */
export function requireAllSecrets(
  file: string,
  inFile: ReadonlySet<string> | null,
  ofWorker: ReadonlySet<string> | null,
): void {
  if (inFile === null) return;
  const missing = SECRET_NAMES.filter((name) => !inFile.has(name) && ofWorker?.has(name) !== true);
  if (missing.length > 0)
    throw new DeployError(`${file} lacks ${missing.join(", ")}, and the Worker has no such secret either.`);
}
