/** Exit status of a program that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** Aborted by Ctrl-C, or by SIGTERM. A terminal and npm may both forward one Ctrl-C, so further ones change nothing. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => controller.abort());
  return controller.signal;
}
