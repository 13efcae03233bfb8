import type { Screen } from "../../terminal/screen.ts";
import { plain } from "../../terminal/units.ts";
import { CommandError } from "../../terminal/usage-error.ts";
import { warn } from "../marks.ts";
import type { StoredCredential } from "../records.ts";

/** The source refuses the credentials, or they lack a permission without which nothing can be migrated. */
export class CredentialsRefused extends CommandError {}

/** What the check has found, for people, except what `requireUsable` refuses. */
export function showCheck({ account, accountName, lastCheck }: StoredCredential, screen: Screen): void {
  if (lastCheck === undefined || lastCheck.problem !== null) return;
  const name = [accountName, account].filter((word) => word !== undefined).join(" · ");
  if (lastCheck.ok) screen.step("Credentials", "accepted", plain(name));
  else warn(screen, `Credentials incomplete: ${plain(name)}`);
  for (const { permission, message, isRequired } of lastCheck.missing)
    if (!isRequired) warn(screen, `${plain(permission)} is missing. ${plain(message)}`);
}

/** @throws {CredentialsRefused} @throws {CommandError} when the source could not be asked */
export function requireUsable({ lastCheck }: Pick<StoredCredential, "lastCheck">): void {
  if (lastCheck === undefined) throw new CommandError("The platform did not check the credentials. Try again.");
  const { problem, missing } = lastCheck;
  if (problem !== null) {
    const refusal = problem.code === "credentials_invalid" || problem.code === "permission_missing";
    const text = `The credentials could not be checked: ${plain(problem.message)}`;
    throw refusal ? new CredentialsRefused(plain(problem.message)) : new CommandError(text);
  }
  const needed = missing.filter(({ isRequired }) => isRequired);
  if (needed.length === 0) return;
  const names = needed.map(({ permission, message }) => `${plain(permission)} (${plain(message)})`).join(", ");
  throw new CredentialsRefused(`The credentials lack what a migration needs: ${names}`);
}
