// Runs before each npm script: by `--import` in front of scripts of ours, as a `pre` script in front of other programs. Plain JavaScript with
// built-in modules only: it must work before `npm ci`, in any version of Node from 20.
import { existsSync } from "node:fs";

if (!existsSync("node_modules/wrangler")) {
  console.error("The dependencies are not installed. Run `npm ci` first.");
  process.exit(1);
}
if (!process.features.typescript) {
  console.error(
    `This is Node ${process.versions.node}, and the scripts need Node 24, which npm installs with its install script. That has not run. Wait if \`npm ci\` is still running, otherwise run \`npm rebuild node\`.`,
  );
  process.exit(1);
}
