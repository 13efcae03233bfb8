import { globSync, readFileSync, statSync } from "node:fs";
import { type SourceMapPayload, SourceMap } from "node:module";
import { resolve } from "node:path";
import type { Bundle } from "./load-error.ts";

const SUFFIX = ".map";

/** The last bundle of `wrangler dev`. Its source map is kept in memory: after an error of loading, wrangler ends and removes the file. */
export class WranglerBundle {
  readonly #root: string;
  #kept: { path: string; modifiedMs: number; bytes: number; text: string } | null = null;

  constructor(root = process.cwd()) {
    this.#root = root;
  }

  /** Reads the source map if there was a build since the last call; otherwise it takes a tenth of a millisecond. */
  look(): void {
    const [newest] = globSync(`.wrangler/tmp/dev-*/worker.js${SUFFIX}`, { cwd: this.#root })
      .map((name) => resolve(this.#root, name))
      .map((path) => {
        const { mtimeMs: modifiedMs, size: bytes } = statSync(path, { throwIfNoEntry: false }) ?? {
          mtimeMs: 0,
          size: 0,
        };
        return { path, modifiedMs, bytes };
      })
      .toSorted((one, other) => other.modifiedMs - one.modifiedMs);
    if (newest === undefined) return;
    const { path, modifiedMs, bytes } = this.#kept ?? {};
    if (newest.path === path && newest.modifiedMs === modifiedMs && newest.bytes === bytes) return;
    try {
      const text = readFileSync(newest.path);
      // Also compares the size: a file that was read while it was written can have the same time when it is complete.
      this.#kept = { ...newest, bytes: text.length, text: text.toString() };
    } catch {
      // removed after it was found
    }
  }

  /** Null = no build yet. */
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
