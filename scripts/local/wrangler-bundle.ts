import { globSync, readFileSync, statSync } from "node:fs";
import { type SourceMapPayload, SourceMap } from "node:module";
import { resolve } from "node:path";
import type { Bundle } from "./load-error.ts";

const SUFFIX = ".map";

/** The bundle that `wrangler dev` wrote last. Its source map is kept in memory: wrangler ends after an error of loading, and removes the file. */
export class WranglerBundle {
  readonly #root: string;
  #kept: { path: string; modifiedMs: number; text: string } | null = null;

  constructor(root = process.cwd()) {
    this.#root = root;
  }

  /** Reads the source map if there has been a build since the last call. Takes a tenth of a millisecond if not. */
  look(): void {
    const [newest] = globSync(`.wrangler/tmp/dev-*/worker.js${SUFFIX}`, { cwd: this.#root })
      .map((name) => resolve(this.#root, name))
      .map((path) => ({ path, modifiedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .toSorted((one, other) => other.modifiedMs - one.modifiedMs);
    if (newest === undefined) return;
    if (newest.path === this.#kept?.path && newest.modifiedMs === this.#kept.modifiedMs) return;
    try {
      this.#kept = { ...newest, text: readFileSync(newest.path, "utf8") };
    } catch {
      // removed since it was found
    }
  }

  /** Null = there has been no build. */
  get last(): Bundle | null {
    if (this.#kept === null) return null;
    const { path, text } = this.#kept;
    return { path: path.slice(0, -SUFFIX.length), mapOf: () => mapIn(text) };
  }
}

function mapIn(text: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return null; // read while it was written
  }
}
