/** Values as SQL text, because R2 SQL's API has no bound parameters. Pure. */

/** A text as it is written to the distributed table and compared with it: without NUL and lone surrogates, which SQL text cannot carry. */
export const storableText = (value: string): string => value.toWellFormed().replaceAll("\0", "\uFFFD");

/**
 * The one place where a value becomes part of a statement. In a literal of standard SQL only the quote is special: it is doubled, and a
 * backslash is a backslash.
 *
 * @throws {TypeError} for what is neither a text nor a finite number
 */
export function literal(value: string | number): string {
  if (typeof value === "string") return `'${storableText(value).replaceAll("'", "''")}'`;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new TypeError(`a ${typeof value} cannot be a value of a query`);
}
