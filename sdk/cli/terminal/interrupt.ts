import { Interrupted } from "./usage-error.ts";

/** Exit status of a program that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** Aborted by Ctrl-C, or by SIGTERM. A terminal and npm may both forward one Ctrl-C, so further ones change nothing. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => controller.abort());
  return controller.signal;
}

/** A Ctrl-C that a terminal and npm both forward arrives twice within this time. */
const SAME_MS = 300;

/** Aborted with `Interrupted` by the first Ctrl-C or SIGTERM; a further one ends the process at once. */
export function detachSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | null = null;
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      if (firstAt !== null && performance.now() - firstAt > SAME_MS) process.exit(INTERRUPTED);
      firstAt ??= performance.now();
      controller.abort(new Interrupted());
    });
  return controller.signal;
}
