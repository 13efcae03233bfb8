import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { buildWhole } from "./build-whole.ts";
import { keepResult } from "./keep-result.ts";
import { writeWhole } from "./write-whole.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Makes the scripts and styles of the pages, which the Worker serves from `dist/assets/player`. */
export async function buildPlayer(): Promise<void> {
  await Promise.all([bundlePages(), unpackScalar()]);
}

const bundlePages = () =>
  buildWhole({
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
    sourcemap: "linked",
    logLevel: "warning",
  });

const [PACKED, SCALAR] = ["vendor/scalar/standalone.js.gz", "dist/assets/player/scalar.js"];

/** The API reference's script, as published (vendor/scalar/README.md). */
const unpackScalar = () =>
  keepResult("scalar", PACKED, async () => {
    await writeWhole(join(ROOT, SCALAR), gunzipSync(await readFile(join(ROOT, PACKED))));
    return { value: null, inputs: [PACKED], outputs: [SCALAR] };
  });

// esbuild has printed what is wrong.
if (import.meta.main) await buildPlayer().catch(() => process.exit(1));
