import { isSecureUrl } from "../../../protocol/secure-url.ts";
import { ApiError, type Credentials, Sluice } from "../../index.ts";
import { credentialsPath, storeCredentials } from "../session/credentials-file.ts";
import { defineCommand } from "../terminal/command.ts";
import { flag, text, type Values } from "../terminal/command-line.ts";
import { promptLine, promptSecret } from "../terminal/prompt.ts";
import { createReporter } from "../terminal/reporter.ts";
import { CommandError } from "../terminal/usage-error.ts";

const ABOUT = `Checks an API credential and stores it, readable only by you, for the other commands. Asks for what is not given. The secret key is
typed at a prompt, or is the first line of the standard input; it is never an argument, which other users could see.`;

const OPTIONS = {
  "base-url": text("URL", "where the platform answers, such as https://video.example.com"),
  "access-token": text("ID", "the id of an API credential (npm run credential -- create)"),
  json: flag("prints one JSON object per line"),
};

async function run(values: Values<typeof OPTIONS>): Promise<number> {
  const credentials = {
    baseUrl: values["base-url"] ?? (await promptLine("Base URL: ", "--base-url")),
    accessToken: values["access-token"] ?? (await promptLine("Access token: ", "--access-token")),
    secretKey: await promptSecret("Secret key: "),
  };
  const { baseUrl } = await verified(credentials);
  if (!isSecureUrl(baseUrl)) console.error(`The connection to ${baseUrl} is not encrypted: use https.`);
  const path = credentialsPath(process.env);
  await storeCredentials(path, { ...credentials, baseUrl });
  createReporter(values.json).say({ kind: "logged_in", baseUrl, path }, (screen) =>
    screen.text(`Logged in to ${baseUrl}. The credential is in ${path}.`),
  );
  return 0;
}

/** @throws {CommandError} for wrong credentials; what the client throws */
async function verified(credentials: Credentials): Promise<Sluice> {
  const sluice = new Sluice({ ...credentials, retries: 1 });
  try {
    await sluice.post("/v1/iam/auth/verify-basic");
    return sluice;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401)
      throw new CommandError("The access token or the secret key is wrong. Nothing was stored.");
    throw new CommandError(`${sluice.baseUrl} is not the API of a platform (${error.status}). Nothing was stored.`);
  }
}

export const login = defineCommand({
  name: "login",
  summary: "stores an API credential for the other commands",
  about: ABOUT,
  options: OPTIONS,
  run,
});
