/**
 * Structured logging for Worker, encoder and gateway: one JSON object per line on standard output, with `at`, `level`, `event` and fields.
 * Events are named `area.happened`. Fields are IDs, codes and numbers, never a secret, a token or a signed URL.
 */
export type LogLevel = "info" | "warn" | "error";
export type LogFields = Record<string, unknown>;

function write(level: LogLevel, event: string, fields: LogFields = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }));
}

/** Logs normal operation. */
export const log = (event: string, fields?: LogFields): void => write("info", event, fields);
/** Logs a failure that is retried or externally caused. */
export const logWarning = (event: string, fields?: LogFields): void => write("warn", event, fields);
/** Logs an internal failure that needs attention. */
export const logError = (event: string, fields?: LogFields): void => write("error", event, fields);
