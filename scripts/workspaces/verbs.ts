import { nearestName } from "../../protocol/nearest-name.ts";

/** The argument of a verb; null = the verb has none. */
type Argument = { what: string; isOptional?: true } | null;
export type Verbs = Record<string, Argument>;

/** @returns what is wrong with the words of a command, in one line; null = nothing */
export function mistakeIn(verbs: Verbs, verb: string | undefined, rest: readonly string[]): string | null {
  const names = Object.keys(verbs);
  if (verb === undefined) return `A command is missing: ${names.join(", ")}.`;
  if (!Object.hasOwn(verbs, verb)) {
    const nearest = nearestName(verb, names);
    return `Unknown command "${verb}"${nearest === null ? "." : `; did you mean ${nearest}?`}`;
  }
  const argument = verbs[verb] ?? null;
  if (argument !== null && argument.isOptional !== true && rest.length === 0) return `${argument.what} is missing.`;
  const extra = rest[argument === null ? 0 : 1];
  return extra === undefined ? null : `Unexpected argument "${extra}".`;
}
