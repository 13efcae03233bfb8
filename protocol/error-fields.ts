/** Fields of a log line for an unexpected error, so that its cause can be found from the log alone. Pure. */

/** `stack` has the error's text, its frames and its causes; absent for an error without frames. */
export interface ErrorFields {
  error: string;
  stack?: string;
}

const MAX_TEXT_CHARACTERS = 1000;
const MAX_STACK_CHARACTERS = 4096;
const MAX_CAUSES = 3;
const FRAME = /^\s+at /;
/** Any URL but those of frames (`file:`). */
const URLS = /\b(?!file:)([a-z][a-z\d+.-]{0,20}:\/\/)([^\s/?#"'<>]*)([^\s"'<>]*)/gi;

/** @param shown replaces an error, or a cause, whose text must not be logged */
export function errorFields(error: unknown, shown = (one: unknown): unknown => one): ErrorFields {
  const chain = chainOf(shown(error), shown);
  const frames = chain.map(framesOf);
  // A cause shares its outer frames with the errors around it.
  const own = frames.map((lines, n) => lines.filter((line) => !frames.slice(0, n).some((one) => one.includes(line))));
  const stack = chain.map((one, n) => [textOf(one), ...own[n]!].join("\n")).join("\nCaused by: ");
  return boundedFields({ error: textOf(chain[0]), ...(frames.flat().length > 0 ? { stack } : {}) });
}

/** The same for fields that come from a process that has read hostile media. */
export const boundedFields = ({ error, stack }: ErrorFields): ErrorFields => ({
  error: loggable(error, MAX_TEXT_CHARACTERS),
  ...(stack === undefined ? {} : { stack: loggable(stack, MAX_STACK_CHARACTERS) }),
});

/** The standard error of a process that ended unexpectedly, of which the end matters: Node prints an uncaught exception there. */
export function crashText(how: string): string {
  const text = withoutUrls(how);
  return text.length <= MAX_STACK_CHARACTERS ? text : `…${text.slice(1 - MAX_STACK_CHARACTERS)}`;
}

/** The error, then its causes. */
function chainOf(error: unknown, shown: (one: unknown) => unknown): unknown[] {
  const chain = [error];
  for (let last = error; last instanceof Error && last.cause !== undefined && chain.length <= MAX_CAUSES;)
    chain.push((last = shown(last.cause)));
  return chain;
}

const textOf = (error: unknown): string => String(error).slice(0, MAX_TEXT_CHARACTERS);

const framesOf = (error: unknown): string[] =>
  error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => FRAME.test(line)) : [];

const loggable = (text: unknown, maxCharacters: number): string => withoutUrls(String(text)).slice(0, maxCharacters);

/** Shortens URLs to their origin: paths and queries may have stream keys, signatures and tokens. */
const withoutUrls = (text: string): string =>
  text.replace(URLS, (_, scheme: string, authority: string, rest: string) => {
    const host = authority.slice(authority.lastIndexOf("@") + 1);
    return `${scheme}${host}${rest.length > 1 ? "/…" : rest}`;
  });
