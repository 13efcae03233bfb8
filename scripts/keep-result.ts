import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "./write-whole.ts";

const ROOT = join(import.meta.dirname, "..");
/** npm gives every file of a package the same time, but writes this one at each installation. */
const INSTALLED = "node_modules/.package-lock.json";

/** Times of files are up to two seconds behind the clock, by file system. */
const COARSENESS_MS = 2000;

interface Kept<T> {
  value: T;
  /** By path from the root of the repository; null = there is no such file. */
  files: Record<string, string | null>;
}

interface Made<T> {
  /** Kept as JSON, which only this user can read. */
  value: T;
  /** Files that it was made from, as paths from the root of the repository. They need not exist. */
  inputs: string[];
  /** Files that were written. */
  outputs?: string[];
}

/**
 * Makes a result that depends on files, or returns that of an earlier run, as long as none of the files has changed since.
 *
 * @param key whatever else the result depends on
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
  // A file that was changed meanwhile may have been read before or after.
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
