import { PROJECTS } from "./lanes.ts";

export interface Selection {
  /** Empty = all. */
  projects: string[];
  /** With `--changed`: the commit before the change. */
  since: string | null;
  /** Test files, by their paths; empty = all of the projects. */
  files: string[];
}

/** @throws for an unknown word, so that a typing error does not pass as a green run */
export function parseArguments(words: readonly string[]): Selection {
  const at = words.indexOf("--changed");
  const next = at < 0 ? undefined : words[at + 1];
  const commit = next !== undefined && !PROJECTS.includes(next) ? next : null;
  const others = words.filter((word, i) => i !== at && !(commit !== null && i === at + 1));
  const files = others.filter((word) => word.startsWith("test/"));
  const projects = others.filter((word) => !files.includes(word));
  const unknown = projects.filter((word) => !PROJECTS.includes(word));
  if (unknown.length > 0)
    throw new Error(
      `unknown: ${unknown.join(", ")}; name test files by their paths, or projects: ${PROJECTS.join(", ")}`,
    );
  return { projects, since: at < 0 ? null : (commit ?? "HEAD"), files };
}
