import { PROJECTS } from "./lanes.ts";
import type { Tier } from "./tiers.ts";

/** All tests. `npm run test:full` passes it. */
const FULL = "--full";

export interface Selection {
  /** Empty = all. */
  projects: string[];
  /** With `--changed`: the commit before the change. */
  since: string | null;
  /** Test files, by their paths; empty = all of the projects. */
  files: string[];
  /** Tests that are named, as a project, a file or by a change, run in full. */
  tier: Tier;
}

/** @throws for an unknown word, and for projects beside files, so that a run of no test does not pass as a green one */
export function parseArguments(words: readonly string[]): Selection {
  const at = words.indexOf("--changed");
  const next = at < 0 ? undefined : words[at + 1];
  const commit = next !== undefined && next !== FULL && !PROJECTS.includes(next) ? next : null;
  const others = words.filter((word, i) => word !== FULL && i !== at && !(commit !== null && i === at + 1));
  const files = others.filter((word) => word.startsWith("test/"));
  const projects = others.filter((word) => !files.includes(word));
  const unknown = projects.filter((word) => !PROJECTS.includes(word));
  if (unknown.length > 0)
    throw new Error(
      `unknown: ${unknown.join(", ")}; name test files by their paths, or projects: ${PROJECTS.join(", ")}`,
    );
  if (projects.length > 0 && files.length > 0) throw new Error("name projects or test files, not both");
  const tier = words.length === 0 ? "default" : "full";
  return { projects, since: at < 0 ? null : (commit ?? "HEAD"), files, tier };
}
