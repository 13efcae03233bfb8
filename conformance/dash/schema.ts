import { readFileSync } from "node:fs";
import { XmlDocument, XmlParseError, XmlValidateError, XsdValidator } from "libxml2-wasm";
import { xmlRegisterFsInputProviders } from "libxml2-wasm/lib/nodejs.mjs";

/** The schema of the MPDs that Sluice writes; see decision 0032. */
export const OWN_SCHEMA = new URL("mpd.xsd", import.meta.url).pathname;

/** Validators by path, cached for the process's lifetime. */
const validators = new Map<string, XsdValidator>();

/**
 * Validates an MPD.
 *
 * @param schemaPath path of an XSD file; its imports are looked up in the same folder
 * @returns libxml2's errors with line numbers; empty when the document is valid
 */
export function schemaErrors(text: string, schemaPath: string): string[] {
  let validator = validators.get(schemaPath);
  validator ??= openValidator(schemaPath);
  validators.set(schemaPath, validator);
  try {
    using document = XmlDocument.fromString(text);
    validator.validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError) && !(error instanceof XmlParseError)) throw error;
    return error.details.map(({ line, message }) => `line ${line}: ${message.trim()}`);
  }
}

function openValidator(schemaPath: string): XsdValidator {
  xmlRegisterFsInputProviders();
  using schema = XmlDocument.fromBuffer(readFileSync(schemaPath), { url: schemaPath });
  return XsdValidator.fromDoc(schema);
}
