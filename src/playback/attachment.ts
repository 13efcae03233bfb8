import { Problem } from "../platform/http/problems.ts";

/** Longer names are cut by file systems. */
const MOST_NAME_CHARACTERS = 255;
/** A separator leads into another folder. Marks of direction make an extension look like another one. */
const REFUSED = /[\p{Cc}\p{Bidi_Control}/\\]/u;

/**
 * The file name that a viewer chooses with `?download={name}`, with its extension.
 *
 * @param ownName of the file, for `?download` without a name
 * @returns null when the query does not ask for an attachment
 * @throws {Problem} validation_failed
 */
export function downloadName(query: URLSearchParams, ownName: string, extension: string): string | null {
  const wanted = query.get("download");
  if (wanted === null) return null;
  if (wanted.length > MOST_NAME_CHARACTERS || REFUSED.test(wanted)) {
    const hint = `must be at most ${MOST_NAME_CHARACTERS} characters without slashes, backslashes and control characters`;
    const fields = [{ field: "download", message: "is invalid", hint }];
    throw new Problem("validation_failed", "the query is not valid", { fields });
  }
  const name = wanted.trim() || ownName;
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;
}

/** `Content-Disposition` with any file name (RFC 6266 §4.3, RFC 8187 §3.2). */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\w .()-]/g, "_");
  const extended = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${extended}`;
}
