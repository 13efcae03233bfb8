import type { NewCredential } from "./statements.ts";

/** Prints a new credential. Its password is shown only here. */
export function printCredential(workspaceId: string, { username, password }: NewCredential): void {
  console.log(`  workspace  ${workspaceId}\n  username   ${username}\n  password   ${password}\n`);
  console.log("Keep the password now: it is not shown again.");
}

export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
