import { join, relative } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { keepResult } from "./keep-result.ts";
import { writeWhole } from "./write-whole.ts";

const ROOT = join(import.meta.dirname, "..");

/** Bundles, and writes each file with `writeWhole`. Does nothing if no input has changed since the last bundle. */
export async function buildWhole(options: BuildOptions): Promise<void> {
  await keepResult("bundle", options, async () => {
    const { outputFiles, metafile } = await build({ ...options, absWorkingDir: ROOT, metafile: true, write: false });
    for (const { path, contents } of outputFiles) await writeWhole(path, contents);
    const outputs = outputFiles.map(({ path }) => relative(ROOT, path));
    return { value: null, inputs: ["tsconfig.json", ...Object.keys(metafile.inputs)], outputs };
  });
}
