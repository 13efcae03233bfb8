/** A command that was not called as its usage says. Ends the process with status 2. */
export class UsageError extends Error {}

/** A failure that the message explains, such as a file that does not exist. Ends the process with status 1. */
export class CommandError extends Error {}

/** Ctrl-C at a question. Ends the process with status 130. */
export class Interrupted extends Error {}
