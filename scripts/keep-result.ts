import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "./write-whole.ts";

const ROOT = join(import.meta.dirname, "..");
/** Changes at each installation, unlike the files of packages, which always get the same time. */
const INSTALLED = "node_modules/.package-lock.json";

/** File times are up to two seconds behind the clock, depending on the file system. */
const COARSENESS_MS = 2000;

interface Kept<T> {
  value: T;
  /** Stamp of each file, by path from the repository's root; null = no such file. */
  files: Record<string, string | null>;
}

interface Made<T> {
  /** Stored as JSON that only this user can read. */
  value: T;
  /** The input files, as paths from the repository's root. They need not exist. */
  inputs: string[];
  /** Files that were written. */
  outputs?: string[];
}

/**
 * Makes a result that depends on files, or returns the result of an earlier run if none of the files has changed since.
 *
 * @param key everything else that the result depends on
 */
export async function keepResult<T>(name: string, key: unknown, make: () => Promise<Made<T>>): Promise<T> {
  const hash = createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 16);
  const path = join(ROOT, "dist/kept", `${name}-${hash}.json`);
  const kept = await readKept<T>(path);
  if (kept !== null && (await isUnchanged(kept.files))) return kept.value;
  const startedAtMs = Date.now();
  const { value, inputs, outputs = [] } = await make();
  const states = await statesOf([INSTALLED, ...inputs]);
  const files = { ...textsOf(states), ...textsOf(await statesOf(outputs)) };
  // A file that changed during the run may have been read before or after the change.
  if (states.every(([, state]) => state === null || state.mtimeMs < startedAtMs - COARSENESS_MS))
    await writeWhole(path, Buffer.from(JSON.stringify({ value, files } satisfies Kept<T>)), 0o600);
  return value;
}

const readKept = <T>(path: string): Promise<Kept<T> | null> =>
  readFile(path, "utf8").then(
    (text) => JSON.parse(text) as Kept<T>,
    () => null,
  );

async function isUnchanged(files: Kept<unknown>["files"]): Promise<boolean> {
  const now = textsOf(await statesOf(Object.keys(files)));
  return Object.entries(files).every(([path, state]) => now[path] === state);
}

type State = { size: number; mtimeMs: number } | null;

const statesOf = (paths: string[]): Promise<[path: string, state: State][]> =>
  Promise.all(paths.map(async (path) => [path, await stat(join(ROOT, path)).catch(() => null)]));

const textsOf = (states: [path: string, state: State][]): Kept<unknown>["files"] =>
  Object.fromEntries(states.map(([path, state]) => [path, state && `${state.size} ${state.mtimeMs}`]));
