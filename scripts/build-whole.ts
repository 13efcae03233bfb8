import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { build, type BuildOptions } from "esbuild";

/** Bundles and replaces each file atomically, so that concurrent readers never see a partial file. */
export async function buildWhole(options: BuildOptions): Promise<void> {
  const { outputFiles } = await build({ ...options, write: false });
  for (const { path, contents } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, contents);
    await rename(draft, path);
  }
}
