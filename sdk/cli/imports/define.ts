import { type Command, defineCommand } from "../terminal/command.ts";
import { CommandError, UsageError } from "../terminal/usage-error.ts";

/** A command of migrations: a wrong usage ends it with 1, because 2 says that items failed. */
export const defineImportCommand = ((declared) => {
  const command: Command = defineCommand(declared);
  const run = (args: readonly string[]) =>
    command.run(args).catch((error: unknown) => {
      throw error instanceof UsageError ? new CommandError(error.message) : error;
    });
  return { ...command, run };
}) as typeof defineCommand;
