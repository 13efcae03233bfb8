import { type Command, defineCommand } from "../terminal/command.ts";
import { CommandError, UsageError } from "../terminal/usage-error.ts";

/** A command of migrations: a wrong usage ends it with 1, because 2 says that items failed. */
export const defineImportCommand = ((declared) => {
  const command: Command = defineCommand(declared);
  const run = (args: readonly string[]) =>
    command.run(args).catch((error: unknown) => {
      throw error instanceof UsageError ? new CommandError(withoutList(error.message, declared.name)) : error;
    });
  return { ...command, run };
}) as typeof defineCommand;

/** These commands have too many options to name them all after one that does not exist. */
const withoutList = (message: string, name: string): string =>
  message.replace(/^(There is no option .*?)(\??) \(there (?:is|are) --.*\)\.$/s, (_, start: string, mark: string) =>
    [start, mark || ".", ` See sluice ${name} --help.`].join(""),
  );
