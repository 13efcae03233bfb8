import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { buildPlayer } from "./build.ts";

/** Half of the Workers limit on the free plan, 3 MiB. */
const MAX_GZIP_BYTES = 1.5 * 1024 * 1024;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a deployment without the upload, and prints the size of the Worker. */
export async function dryRunDeploy(): Promise<boolean> {
  await buildPlayer();
  const outdir = "dist/deploy";
  const args = ["deploy", "--dry-run", "--containers-rollout=none", `--outdir=${outdir}`];
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
  }
  const bytes = gzipSync(await readFile(`${outdir}/worker.js`)).byteLength;
  const isSmall = bytes <= MAX_GZIP_BYTES;
  console.log(
    `${isSmall ? "✓" : "✗"} deploy --dry-run: the Worker is ${(bytes / 1024).toFixed(0)} KiB gzipped (at most ${MAX_GZIP_BYTES / 1024} KiB)`,
  );
  return isSmall;
}

if (import.meta.main) process.exitCode = (await dryRunDeploy()) ? 0 : 1;
