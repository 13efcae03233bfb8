// Runs before the npm scripts. Plain JavaScript with built-in modules only: it must work before `npm ci`, in any version of Node.
import { existsSync } from "node:fs";

if (!existsSync("node_modules/wrangler")) {
  console.error("The dependencies are not installed. Run `npm ci` first.");
  process.exit(1);
}
