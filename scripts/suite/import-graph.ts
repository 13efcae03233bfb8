/** The repository's files that a file refers to, by import or by a path in its text. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** Each file with the files it refers to; paths from the repository's root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const CODE = /\.(ts|js|mjs|toml)$/;
const TYPE_IMPORT = /^(?:import|export) type [^;]*?from "[^"]+";$/gm; // types are checked by tsc and erased at run time
const QUOTED = /"([^"\n]+)"|'([^'\n]+)'|`([^`\n$]+)`|\$\{import\.meta\.dirname\}\/([^"`\s$]+)/g;

/** Files under version control, and new ones that are not ignored. */
export const repositoryFiles = (): string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "");

export function importGraph(files = repositoryFiles()): ImportGraph {
  const known = new Set(files);
  return new Map(files.filter((path) => CODE.test(path)).map((path) => [path, namedIn(path, textOf(path), known)]));
}

/** @param known every file of the repository; texts that name none of them are ignored */
export function namedIn(path: string, text: string, known: ReadonlySet<string>): string[] {
  const named = new Set<string>();
  for (const [, double, single, template, beside] of text.replace(TYPE_IMPORT, "").matchAll(QUOTED)) {
    const name = (double ?? single ?? template ?? beside!).replace(/\?\w+$/, "");
    const besides = posix.join(posix.dirname(path), name);
    if (beside !== undefined || name.startsWith(".")) add(besides);
    add(posix.normalize(name)); // as a path relative to the root, for processes that run there
  }
  return [...named];

  function add(candidate: string): void {
    if (candidate !== path && known.has(candidate)) named.add(candidate);
  }
}

/** The given files and every file that refers to one of them, directly or indirectly. */
export function reachedFrom(changed: Iterable<string>, graph: ImportGraph): Set<string> {
  const namedBy = new Map<string, string[]>();
  for (const [path, names] of graph)
    for (const name of names) {
      const by = namedBy.get(name);
      if (by === undefined) namedBy.set(name, [path]);
      else by.push(path);
    }
  const reached = new Set(changed);
  for (const path of reached) for (const by of namedBy.get(path) ?? []) reached.add(by);
  return reached;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // deleted, not committed yet
  }
}
