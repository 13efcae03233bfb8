import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isLoopback } from "../../../protocol/secure-url.ts";
import type { Credentials } from "../../index.ts";
import { CommandError } from "../terminal/usage-error.ts";
import { BrokenFile, readTexts } from "./read-texts.ts";

/** The file by which a platform on this machine says that it is ready: in `SLUICE_HOME`, or in `.sluice` of this folder. */
export const localFile = (env: NodeJS.ProcessEnv, folder: string): string =>
  join(resolve(folder, env["SLUICE_HOME"] || ".sluice"), "local.json");

/**
 * The credentials of a platform that runs on this machine (npm start); null when none runs. A folder that somebody else has filled, such as a
 * clone, may have such a file too: it is used only if it is the user's own and names this machine, so that no file is sent elsewhere.
 *
 * @throws {CommandError}
 */
export async function readLocalPlatform(path: string): Promise<Credentials | null> {
  const text = await readOwn(path);
  if (text === null) return null;
  try {
    const { baseUrl, username, password } = readTexts(path, text, ["baseUrl", "username", "password"]);
    if (!isOnThisMachine(baseUrl)) throw new CommandError(`${path} names ${JSON.stringify(baseUrl)}, ${NOT_USED}`);
    return { baseUrl, accessToken: username, secretKey: password };
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new CommandError(`${error.message}. Restart the platform, which writes it again.`);
  }
}

const NOT_USED =
  "which is not on this machine, so it is not used. Delete the file, or set SLUICE_BASE_URL, SLUICE_ACCESS_TOKEN and SLUICE_SECRET_KEY.";

const isOnThisMachine = (baseUrl: string): boolean => URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);

/** @returns null when there is no such file @throws {CommandError} for another user's */
async function readOwn(path: string): Promise<string | null> {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  try {
    const { uid } = await file.stat();
    const own = process.getuid?.() ?? uid; // Windows has none
    if (uid !== own) throw new CommandError(`${path} belongs to another user, so it is not used.`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
