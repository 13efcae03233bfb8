import { readFile } from "node:fs/promises";
import { BrokenFile, readTexts } from "../../session/read-texts.ts";
import { promptSecret } from "../../terminal/prompt.ts";
import { CommandError } from "../../terminal/usage-error.ts";
import { askOptional, askText, remark } from "../questions.ts";
import { type CredentialField, SOURCE_FORMS, type SourceKind } from "../sources.ts";

/** Credentials as the API takes them. They are never printed. */
export type CredentialFields = Record<string, string>;

/** Reads credentials from a file of this machine. @throws {CommandError}, which does not quote the file */
export async function readCredentialFields(path: string, kind: SourceKind): Promise<CredentialFields> {
  const { fields } = SOURCE_FORMS[kind];
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read: ${error.code}.`,
    );
  });
  return credentialFieldsOf(path, content, fields);
}

/** @throws {CommandError} */
export function credentialFieldsOf(
  path: string,
  content: string,
  fields: readonly Pick<CredentialField, "name" | "isOptional">[],
): CredentialFields {
  const names = fields.map(({ name }) => name);
  const needed = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  try {
    const found: Record<string, unknown> = readTexts(path, content, needed);
    const other = Object.keys(found).find((name) => !names.includes(name));
    if (other !== undefined)
      throw new BrokenFile(`${path} is broken: it has ${JSON.stringify(other)} besides ${names.join(", ")}`);
    readTexts(
      path,
      content,
      names.filter((name) => name in found),
    ); // the optional ones are texts too
    return found as CredentialFields;
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new CommandError(`${error.message}.`);
  }
}

/** Asks for each field; secrets are not shown. */
export async function askCredentialFields(kind: SourceKind): Promise<CredentialFields> {
  const { fields, needs } = SOURCE_FORMS[kind];
  remark(needs);
  const given: CredentialFields = {};
  for (const field of fields) {
    const value = await askField(field);
    if (value !== undefined) given[field.name] = value;
  }
  return given;
}

async function askField({ question, isSecret, isOptional = false }: CredentialField): Promise<string | undefined> {
  if (!isSecret)
    return isOptional ? askOptional(question, "--credentials-file") : askText(question, "--credentials-file");
  for (;;) {
    const secret = await promptSecret(`${question}${isOptional ? " (empty = none)" : ""}: `);
    if (secret !== "") return secret;
    if (isOptional) return undefined;
    remark("  This is needed.");
  }
}
