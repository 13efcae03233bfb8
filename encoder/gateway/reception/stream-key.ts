/** Reads a stream key in the forms in which encoders send it. Pure. */

/** The application of the addresses that broadcasters are given. */
export const APP = "live";

/** Longer ones are refused unread. */
export const MAX_KEY_LENGTH = 512;

/**
 * Removes what encoders put around a key: a query or fragment behind it, the application before it, slashes, and white space of a copied line.
 *
 * @returns "" when nothing else is left
 */
export function streamKeyIn(text: string): string {
  const parts = pathParts(withoutSuffix(text));
  return parts.slice(parts[0] === APP ? 1 : 0).join("/");
}

/** Without query and fragment. */
export const withoutSuffix = (text: string): string => text.split(/[?#]/, 1)[0]!;

/** Without empty parts, and without white space at both ends. */
export const pathParts = (path: string): string[] => path.trim().split("/").filter(Boolean);
