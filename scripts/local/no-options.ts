import { parseArgs } from "node:util";
import { optionMistake } from "../../sdk/cli/terminal/option-mistake.ts";

/** For commands whose only option is `--help`: prints the help, and ends the process for anything else. */
export function acceptNoOptions(help: string): void {
  const options = { help: { type: "boolean" } } as const;
  try {
    if (parseArgs({ options }).values.help !== true) return;
  } catch (error) {
    console.error(`${optionMistake(error, options)}\n\n${help}`);
    process.exit(2);
  }
  console.log(help);
  process.exit(0);
}
