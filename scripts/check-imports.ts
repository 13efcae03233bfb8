/** Checks imports, including type imports, against the map (docs/architecture/overview.md). Part of `npm run check`. */
import { CHECKED_FOLDERS } from "./imports/map.ts";
import { readModules } from "./imports/read.ts";
import { brokenRules } from "./imports/rules.ts";

const broken = brokenRules(await readModules(CHECKED_FOLDERS));
for (const line of broken) console.log(line);
if (broken.length > 0) process.exitCode = 1;
