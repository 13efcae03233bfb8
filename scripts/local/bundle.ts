import { buildPlayer } from "../build.ts";
import { buildWhole } from "../build-whole.ts";

/** Bundles the Worker for workerd and the player for browsers; both take well under a second. */
export async function bundle(
  entryPoint = "scripts/local/worker/worker.ts",
  workerPath = "dist/worker/worker.js",
): Promise<{ workerPath: string }> {
  await Promise.all([
    buildPlayer(),
    buildWhole({
      entryPoints: [entryPoint],
      outfile: workerPath,
      bundle: true,
      format: "esm",
      target: "es2024",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
      sourcemap: "linked",
      logLevel: "error",
    }),
  ]);
  return { workerPath };
}
