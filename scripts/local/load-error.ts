/** workerd's log line about a Worker that throws while its modules are loaded; miniflare and wrangler pass it on unchanged. */
const LOG_LINE = /"message":("service core:user:(?:[^"\\]|\\.)*")/;

/**
 * The error of a Worker that throws while it is loaded: a restart of the same code meets it again.
 *
 * @param output of miniflare or of wrangler
 * @returns one line: the error, and the place in the bundle; null = the output has none
 */
export function loadErrorIn(output: string): string | null {
  const quoted = LOG_LINE.exec(output)?.[1];
  if (quoted === undefined) return null;
  const [error = "", place] = (JSON.parse(quoted) as string).replace(/^service core:user:[^:]*: /, "").split("\n");
  return `The Worker throws while it is loaded: ${error.trim()}${place === undefined ? "" : ` (${place.trim()})`}`;
}
