import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { Credentials } from "../../index.ts";
import { CommandError } from "../terminal/usage-error.ts";
import { BrokenFile, readTexts } from "./read-texts.ts";
import { writeTextPrivately } from "./write-privately.ts";

/** Where `sluice login` stores credentials (XDG Base Directory Specification). */
export function credentialsPath(env: NodeJS.ProcessEnv): string {
  const configured = env["XDG_CONFIG_HOME"] ?? "";
  const folder = isAbsolute(configured) ? configured : join(homedir(), ".config"); // relative ones are to be ignored
  return join(folder, "sluice", "credentials.json");
}

/** Stores credentials in a file that only its owner can read. */
export async function storeCredentials(path: string, { baseUrl, accessToken, secretKey }: Credentials): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeTextPrivately(path, `${JSON.stringify({ baseUrl, accessToken, secretKey }, null, 2)}\n`);
}

/** @returns null when nobody has logged in @throws {CommandError} */
export async function readCredentials(path: string): Promise<Credentials | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new CommandError(`${path} cannot be read: ${error.code ?? error.message}.`);
  });
  if (text === null) return null;
  try {
    return readTexts(path, text, ["baseUrl", "accessToken", "secretKey"]);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new CommandError(`${error.message}. Log in again with sluice login.`);
  }
}
