/**
 * Structured log lines, the same for Worker, encoder and gateway: one JSON object a line on standard output, with `at`, `level`, `event` and
 * fields. `event` is named `area.happened`. Fields are ids, codes and numbers, never a secret, a token or a signed URL.
 */
export type LogLevel = "info" | "warn" | "error";
export type LogFields = Record<string, unknown>;

function write(level: LogLevel, event: string, fields: LogFields = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }));
}

/** Something happened that is part of normal operation. */
export const log = (event: string, fields?: LogFields): void => write("info", event, fields);
/** Something failed that is retried, or that somebody else caused. */
export const logWarning = (event: string, fields?: LogFields): void => write("warn", event, fields);
/** Something failed on our side that will not mend itself. */
export const logError = (event: string, fields?: LogFields): void => write("error", event, fields);
