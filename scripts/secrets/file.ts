import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { freshSecrets, SECRET_NAMES, type SecretValues } from "./fresh.ts";
import { readTexts } from "../../sdk/cli/session/read-texts.ts";

/** A deployment's secrets in a file with mode 0600, in JSON, which wrangler uploads. */

/** Replaces the file atomically. */
export function saveSecrets(file: string, secrets: SecretValues): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

/** @throws {BrokenFile} also when a secret is missing */
export const readSecrets = (file: string): SecretValues => readTexts(file, readFileSync(file, "utf8"), SECRET_NAMES);

/** @returns false when the file exists already, which is never overwritten */
export function createSecrets(file: string): boolean {
  if (existsSync(file)) return false;
  saveSecrets(file, freshSecrets());
  const warning = committableWarning(file);
  if (warning !== null) console.error(warning);
  return true;
}

/** @returns null when git ignores the file, and also when there is no git, no repository, or the file lies outside of it */
export function committableWarning(file: string): string | null {
  const isCommittable = spawnSync("git", ["check-ignore", "--quiet", "--", file]).status === 1;
  return isCommittable
    ? `git does not ignore ${file}: add it to .gitignore, or a commit may publish the secrets.`
    : null;
}
