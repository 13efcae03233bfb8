import type { z } from "zod";
import { nearestName } from "../../protocol/nearest-name.ts";

/** A problem of a settings file in one line, such as `sluice.config.json: routes[0]: must be …`. */

/** @param known the fields of the file and of its objects, by their path; `""` is the file. An unknown field may be a misspelling of one */
export function issueLine(file: string, issue: z.core.$ZodIssue, known: Record<string, readonly string[]>): string {
  const path = pathOf(issue.path);
  return [file, ...(path === "" ? [] : [path]), wordsOf(issue, known[path] ?? [])].join(": ");
}

/** `routes[0].pattern` */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("");
}

function wordsOf(issue: z.core.$ZodIssue, known: readonly string[]): string {
  if (issue.code === "invalid_type") return `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
  if (issue.code === "too_small") return "must not be empty"; // the settings have no other minimum length than 1
  if (issue.code !== "unrecognized_keys") return issue.message;
  const hints = issue.keys.flatMap((key) => nearestName(key, known) ?? []);
  return hints.length === 0 ? issue.message : `${issue.message}; did you mean ${quoted(hints)}?`;
}

const EXPECTED: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(", ");
