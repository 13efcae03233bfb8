/**
 * Errors of workerd that must be told apart. workerd throws plain `Error`s and `TypeError`s without a code, so their text is the only
 * thing to recognise them by. An unknown text returns false; every caller has a safe default for that.
 */

/**
 * A response body that cannot be decompressed as its `content-encoding` says: "Decompression failed." or "Brotli decompression failed.", a
 * `TypeError` without a code. The runtime decompresses such bodies itself, and only reading them shows the failure.
 */
export const isDecompressionError = (error: unknown): boolean => hasMessage(error, /decompression/i);

/**
 * An exception that workerd hides: "internal error; reference = …". `fetch` throws it when the TLS handshake or the DNS look-up fails, or
 * when workerd's network forbids the address. The cause appears only in the log of workerd itself (cloudflare/workerd#5286).
 */
export const isInternalError = (error: unknown): boolean => hasMessage(error, /^internal error/);

/**
 * R2's code 10024: the multipart upload does not exist. R2 bindings throw a plain `Error` and append the code to its text:
 * "uploadPart: The specified multipart upload does not exist. (10024)" (developers.cloudflare.com/r2/api/error-codes).
 */
export const isNoSuchUpload = (error: unknown): boolean => hasMessage(error, /\(10024\)/);

/**
 * SQLite's error for a table or column that a migration adds: "D1_ERROR: no such table: credentials: SQLITE_ERROR". drizzle wraps it as the
 * cause of its own error.
 */
export const isUnmigrated = (error: unknown): boolean =>
  hasMessage(error, /no such (?:table|column)|has no column named/) ||
  (error instanceof Error && error.cause !== undefined && isUnmigrated(error.cause));

/** What D1 reported, where drizzle's error repeats the whole query and its parameters; any other error as it is. For logs. */
export const withoutQuery = (error: unknown): unknown =>
  hasMessage(error, /^Failed query:/) && error instanceof Error && error.cause !== undefined ? error.cause : error;

const hasMessage = (error: unknown, text: RegExp): boolean => error instanceof Error && text.test(error.message);
