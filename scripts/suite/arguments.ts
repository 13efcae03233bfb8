import { PROJECTS } from "./lanes.ts";

export interface Selection {
  /** Empty = all. */
  projects: string[];
  /** With `--changed`: the commit before the change. */
  since: string | null;
}

/** @throws for an unknown word, so that a typing error does not pass as a green run */
export function parseArguments(words: readonly string[]): Selection {
  const at = words.indexOf("--changed");
  const next = at < 0 ? undefined : words[at + 1];
  const commit = next !== undefined && !PROJECTS.includes(next) ? next : null;
  const projects = words.filter((word, i) => i !== at && !(commit !== null && i === at + 1));
  const unknown = projects.filter((word) => !PROJECTS.includes(word));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}; projects are ${PROJECTS.join(", ")}`);
  return { projects, since: at < 0 ? null : (commit ?? "HEAD") };
}
