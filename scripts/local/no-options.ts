import { parseArgs } from "node:util";

/** For commands whose only option is `--help`: prints the help, and ends the process for anything else. */
export function acceptNoOptions(help: string): void {
  try {
    if (parseArgs({ options: { help: { type: "boolean" } } }).values.help !== true) return;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
  console.log(help);
  process.exit(0);
}
