import { nearestName } from "../../protocol/nearest-name.ts";

interface Verb {
  does: string;
  /** Its argument: the name in the help, and in words with an article. */
  argument?: { name: string; what: string; isOptional?: true };
}
export type Verbs = Readonly<Record<string, Verb>>;

/** A row of the help for each verb. */
export const verbRows = (command: string, verbs: Verbs): [string, string][] =>
  Object.entries(verbs).map(([verb, { does, argument }]) => {
    const form = argument === undefined ? "" : ` ${argument.isOptional ? `[${argument.name}]` : argument.name}`;
    return [`${command} ${verb}${form}`, does];
  });

/** @returns what is wrong with the words of a command, in one sentence; null = nothing */
export function verbMistake(verbs: Verbs, [verb, ...rest]: readonly string[]): string | null {
  const names = Object.keys(verbs);
  if (verb === undefined) return `A command is missing: ${names.join(", ")}.`;
  if (!Object.hasOwn(verbs, verb)) {
    const nearest = nearestName(verb, names);
    return `Unknown command "${verb}"${nearest === null ? "." : `; did you mean ${nearest}?`}`;
  }
  const argument = verbs[verb]?.argument;
  if (argument !== undefined && argument.isOptional !== true && rest.length === 0)
    return `${argument.what} is missing.`;
  const extra = rest[argument === undefined ? 0 : 1];
  return extra === undefined ? null : `Unexpected argument "${extra}".`;
}
