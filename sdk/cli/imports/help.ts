import { CREDENTIALS_HELP } from "../session/open-session.ts";

export const ENDS = { done: 0, failed: 1, itemsFailed: 2 } as const;

/** What a help text says about the exit status: it differs from that of other commands. */
const EXIT_HELP = `Exit status: 0, 1 after a failure or for a wrong usage, 2 when items of the batch failed or were cancelled (sluice import report ID
says why, sluice import retry ID tries them again), 130 after Ctrl-C, which leaves the batch running.`;

export const IMPORT_NOTES = `${EXIT_HELP}\n\n${CREDENTIALS_HELP}`;
