import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Credentials } from "../../index.ts";
import { CommandError } from "../terminal/usage-error.ts";
import { BrokenFile, readTexts } from "./read-texts.ts";

/** The file by which a platform on this machine says that it is ready: in `SLUICE_HOME`, or in `.sluice` of this folder. */
export const localFile = (env: NodeJS.ProcessEnv, folder: string): string =>
  join(resolve(folder, env["SLUICE_HOME"] || ".sluice"), "local.json");

/** The credentials of a platform that runs on this machine (npm start); null when none runs. @throws {CommandError} */
export async function readLocalPlatform(path: string): Promise<Credentials | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const { baseUrl, username, password } = readTexts(path, text, ["baseUrl", "username", "password"]);
    return { baseUrl, accessToken: username, secretKey: password };
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new CommandError(`${error.message}. Restart the platform, which writes it again.`);
  }
}
