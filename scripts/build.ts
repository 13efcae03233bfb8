import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { buildWhole, writeWhole } from "./build-whole.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Makes the scripts and styles of the pages, which the Worker serves from `dist/assets/player`. */
export async function buildPlayer(): Promise<void> {
  await Promise.all([bundlePages(), unpackScalar()]);
}

const bundlePages = () =>
  buildWhole({
    absWorkingDir: ROOT,
    entryPoints: [
      "player/player.ts",
      "player/reference.ts",
      "player/upload.ts",
      "player/player.css",
      "player/page.css",
      "player/upload.css",
    ],
    outdir: "dist/assets/player",
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome111", "firefox115", "safari16.4"],
    legalComments: "none",
    logLevel: "warning",
  });

/** The API reference's script, as published (vendor/scalar/README.md). */
async function unpackScalar(): Promise<void> {
  const packed = await readFile(`${ROOT}vendor/scalar/standalone.js.gz`);
  await writeWhole(`${ROOT}dist/assets/player/scalar.js`, gunzipSync(packed));
}

// esbuild has printed what is wrong.
if (import.meta.main) await buildPlayer().catch(() => process.exit(1));
