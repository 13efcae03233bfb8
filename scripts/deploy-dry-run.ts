import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { deriveConfig, readBaseConfig, writeConfig } from "./deploy/config.ts";
import { parseSettings } from "./deploy/settings.ts";

/** Half of the Workers limit on the free plan, 3 MiB. */
const MAX_GZIP_BYTES = 1.5 * 1024 * 1024;

/** The configuration that `npm run deploy` would derive without settings. Next to wrangler.toml, because its paths are relative. */
const CONFIG_FILE = "wrangler.dry-run.json";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a deployment without the upload, and prints the size of the Worker. */
export async function dryRunDeploy(): Promise<boolean> {
  const outdir = "dist/deploy";
  const base = await readBaseConfig();
  await writeConfig(deriveConfig(base, parseSettings(null), randomUUID()), CONFIG_FILE);
  // With this flag wrangler builds no image, so Docker is not needed.
  const args = ["deploy", "--dry-run", "--containers-rollout=none", `--outdir=${outdir}`, "--config", CONFIG_FILE];
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true" };
  try {
    await promisify(execFile)("wrangler", args, {
      env,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    console.error(`wrangler deploy --dry-run failed:\n${stdout}\n${stderr}`);
    return false;
  } finally {
    await rm(CONFIG_FILE, { force: true });
  }
  const bytes = gzipSync(await readFile(`${outdir}/worker.js`)).byteLength;
  const isSmall = bytes <= MAX_GZIP_BYTES;
  console.log(
    `${isSmall ? "✓" : "✗"} deploy --dry-run: the Worker is ${(bytes / 1024).toFixed(0)} KiB gzipped (at most ${MAX_GZIP_BYTES / 1024} KiB)`,
  );
  return isSmall;
}

if (import.meta.main) process.exitCode = (await dryRunDeploy()) ? 0 : 1;
