import { flag, oneOf, text, type Values } from "../../terminal/command-line.ts";
import { hasTerminal } from "../../terminal/prompt.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { openImports } from "../session.ts";
import { SOURCE_KINDS, type SourceKind } from "../sources.ts";
import { askCredentialFields, readCredentialFields } from "../start/credential-fields.ts";
import { credentialOrigin } from "../start/credential-origin.ts";
import { askSourceKind } from "../start/source-options.ts";
import { checkCredential, forgetCredential, storeCredential } from "../start/store-credential.ts";

const OPTIONS = {
  source: oneOf("KIND", SOURCE_KINDS, "whose credentials they are: s3, mux, cloudflare_stream, api_video or vimeo"),
  "credentials-file": text("FILE", "a JSON object with the fields of the source's credentials"),
  "keep-credential": flag("keeps them after the batch that uses them"),
  json: flag("prints one JSON object per line"),
};

async function run(values: Values<typeof OPTIONS>): Promise<number> {
  const kind = values.source ?? (await askSourceKind());
  const credentials = await fieldsOf(kind, values["credentials-file"]);
  const session = await openImports(values.json);
  const credentialId = await storeCredential(session, { kind, credentials, isKept: values["keep-credential"] });
  try {
    if (kind !== "s3") await checkCredential(session, credentialId, { type: kind });
  } catch (error) {
    await forgetCredential(session, credentialId);
    throw error;
  }
  const check = kind === "s3" ? " They are checked when a batch names its bucket." : "";
  session.reporter.say({ kind: "stored", credentialId }, (screen) =>
    screen.text(`The platform has the credentials ${credentialId}.${check}`),
  );
  return 0;
}

/** @throws {UsageError} when there are none, and nobody can be asked */
async function fieldsOf(kind: SourceKind, file: string | undefined): Promise<Record<string, string>> {
  const given = { credential: undefined, "credentials-file": file, "no-credentials": false };
  const origin = credentialOrigin(given, kind, { env: process.env, canAsk: hasTerminal() });
  if (origin.from === "environment") return origin.credentials;
  if (origin.from === "file") return await readCredentialFields(origin.path, kind);
  if (origin.from === "question") return await askCredentialFields(kind);
  throw new UsageError("A list has no credentials.");
}

export const credentialsAdd = defineImportCommand({
  name: "import credentials add",
  summary: "stores credentials of a source, and checks them",
  about: `Stores credentials of a source, and checks them, for import --credential and import resume --credential. They come from the
variables of the environment that import --help names, from a file, or are typed without an echo.`,
  options: OPTIONS,
  notes: IMPORT_NOTES,
  run,
});
