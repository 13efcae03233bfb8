/** A media process that writes to its console, and whose media goes to stdout. */
import { Console } from "node:console";

console.log("to the console");
console.error("an error", { code: 1 });
for (let n = 0; n < 5; n += 1) console.warn("x".repeat(10_000));
if (!(console instanceof Console)) process.exitCode = 1;
process.stdout.write("media", () => process.exit());
