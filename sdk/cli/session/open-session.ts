import { type Credentials, Sluice } from "../../index.ts";
import { CommandError } from "../terminal/usage-error.ts";
import { credentialsPath, readCredentials } from "./credentials-file.ts";
import { localFile, readLocalPlatform } from "./local-platform.ts";

const VARIABLES = {
  baseUrl: "SLUICE_BASE_URL",
  accessToken: "SLUICE_ACCESS_TOKEN",
  secretKey: "SLUICE_SECRET_KEY",
} as const;

/** What a help text says about credentials. */
export const CREDENTIALS_HELP = `Credentials: SLUICE_BASE_URL, SLUICE_ACCESS_TOKEN and SLUICE_SECRET_KEY; otherwise those of a platform that runs in this
folder (npm start, or the one in SLUICE_HOME); otherwise those of sluice login.`;

/**
 * A client with the credentials of the environment, of a platform that runs in this folder, or of `sluice login`: the first that exist.
 *
 * @throws {CommandError} when there are none
 */
export async function openSession(env: NodeJS.ProcessEnv = process.env, folder = process.cwd()): Promise<Sluice> {
  return new Sluice(fromEnvironment(env) ?? (await storedCredentials(env, folder)));
}

/** @throws {CommandError} for an incomplete environment, which is a mistake */
function fromEnvironment(env: NodeJS.ProcessEnv): Credentials | null {
  const { baseUrl, accessToken, secretKey } = VARIABLES;
  const missing = Object.values(VARIABLES).filter((name) => !env[name]);
  if (missing.length === 3) return null;
  if (missing.length > 0) throw new CommandError(`The environment is incomplete: set ${missing.join(" and ")} too.`);
  return { baseUrl: env[baseUrl]!, accessToken: env[accessToken]!, secretKey: env[secretKey]! };
}

async function storedCredentials(env: NodeJS.ProcessEnv, folder: string): Promise<Credentials> {
  const local = localFile(env, folder);
  const found = (await readLocalPlatform(local)) ?? (await readCredentials(credentialsPath(env)));
  if (found !== null) return found;
  const login = "and nobody has logged in. Start a platform with npm start, or log in with sluice login.";
  throw new CommandError(`No platform runs here: there is no ${local}, ${login}`);
}
