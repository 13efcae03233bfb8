/** Values as SQL text, because R2 SQL's API has no bound parameters. Pure. */

/** Removes NUL and lone surrogates, which SQL text cannot contain. Applied to values that are written to the distributed table or compared with it. */
export const storableText = (value: string): string => value.toWellFormed().replaceAll("\0", "\uFFFD");

/**
 * The only place where a value becomes part of a statement. In a literal of standard SQL only the quote is special, and is doubled; a backslash
 * is an ordinary character.
 *
 * @throws {TypeError} for anything but a string or a finite number
 */
export function literal(value: string | number): string {
  if (typeof value === "string") return `'${storableText(value).replaceAll("'", "''")}'`;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new TypeError(`a ${typeof value} cannot be a value of a query`);
}
