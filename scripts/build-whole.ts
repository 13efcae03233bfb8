import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { build, type BuildOptions } from "esbuild";

/** Bundles, and writes each file with `writeWhole`. */
export async function buildWhole(options: BuildOptions): Promise<void> {
  const { outputFiles } = await build({ ...options, write: false });
  for (const { path, contents } of outputFiles) await writeWhole(path, contents);
}

/** Replaces a file atomically, so that concurrent readers never see a partial file. */
export async function writeWhole(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}
