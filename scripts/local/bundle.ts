import { build, type BuildOptions } from "esbuild";
import { buildPlayer } from "../build.ts";
import { buildWhole } from "../build-whole.ts";
import { StartError } from "./settings.ts";

/**
 * Bundles the Worker for workerd and the player for browsers; both take well under a second.
 *
 * @throws {StartError} for an error in the code, which esbuild has printed
 */
export async function bundle(
  entryPoint = "scripts/local/worker/worker.ts",
  workerPath = "dist/worker/worker.js",
): Promise<{ workerPath: string }> {
  await requireSuccess([buildPlayer(), buildWhole({ ...optionsOf(entryPoint), outfile: workerPath })]);
  return { workerPath };
}

/** Whether the code builds. esbuild prints its errors. */
export const isBuildable = (): Promise<boolean> =>
  requireBuildable().then(
    () => true,
    () => false,
  );

/**
 * Finds errors in the code before `wrangler dev` starts, which would hold every request until the code builds.
 *
 * @throws {StartError} as `bundle`
 */
export async function requireBuildable(): Promise<void> {
  await requireSuccess([buildPlayer(), build({ ...optionsOf("src/worker.ts"), outfile: "worker.js", write: false })]);
}

const optionsOf = (entryPoint: string): BuildOptions => ({
  entryPoints: [entryPoint],
  bundle: true,
  format: "esm",
  target: "es2024",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*", "node:*"],
  alias: { stream: "node:stream" }, // csv-parse imports it by its old name, which wrangler resolves too
  sourcemap: "linked",
  logLevel: "error",
});

async function requireSuccess(builds: Promise<unknown>[]): Promise<void> {
  try {
    await Promise.all(builds);
  } catch (error) {
    if (!(error instanceof Error && "errors" in error)) throw error;
    throw new StartError("The code does not build, for the reason above. Correct it and start again.");
  }
}
