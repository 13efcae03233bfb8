import { fileURLToPath } from "node:url";
import { buildWhole } from "./build-whole.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Bundles the hosted player page's script and style into `dist/assets/player`, which the Worker serves. */
export async function buildPlayer(): Promise<void> {
  await buildWhole({
    absWorkingDir: ROOT,
    entryPoints: ["player/player.ts", "player/player.css"],
    outdir: "dist/assets/player",
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome111", "firefox115", "safari16.4"],
    legalComments: "none",
    logLevel: "warning",
  });
}

if (import.meta.main) await buildPlayer();
