/** A file of this machine that is not what it must be. The message is for the user, and does not quote the file. */
export class BrokenFile extends Error {}

/**
 * Reads a JSON object that has these fields, each with a text.
 *
 * @throws {BrokenFile} without the message of JSON.parse, which would quote a secret
 */
export function readTexts<Name extends string>(
  path: string,
  content: string,
  names: readonly Name[],
): Record<Name, string> {
  const value = parseJson(path, content);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BrokenFile(`${path} is broken: it is not a JSON object`);
  const missing = names.filter((name) => typeof (value as Record<string, unknown>)[name] !== "string");
  if (missing.length > 0) throw new BrokenFile(`${path} is broken: it has no text for ${missing.join(", ")}`);
  return value as Record<Name, string>;
}

function parseJson(path: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new BrokenFile(`${path} is broken: it is not JSON`);
  }
}
