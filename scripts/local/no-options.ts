import { parseArgs } from "node:util";
import { optionMistake } from "../../sdk/cli/terminal/option-mistake.ts";

/** For commands whose only option is `--help`: prints the help, and ends the process for anything else. */
export function acceptNoOptions(help: string): void {
  const options = { help: { type: "boolean" } } as const;
  const swallowed = swallowedPort(process.env);
  if (swallowed !== null) refuse(swallowed, help);
  try {
    if (parseArgs({ options }).values.help !== true) return;
  } catch (error) {
    refuse(optionMistake(error, options), help);
  }
  console.log(help);
  process.exit(0);
}

/** Of `npm run dev --port=999`, npm takes the option as its own and passes it on in the environment. */
function swallowedPort(env: NodeJS.ProcessEnv): string | null {
  const port = env["npm_config_port"];
  const script = env["npm_lifecycle_event"];
  if (port === undefined || script === undefined) return null;
  return `The port is set by a variable. Run: PORT=${/^\d+$/.test(port) ? port : "8787"} npm run ${script}`;
}

function refuse(mistake: string, help: string): never {
  console.error(`${mistake}\n\n${help}`);
  process.exit(2);
}
