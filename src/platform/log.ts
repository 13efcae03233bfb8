import { errorFields as fieldsOf, type ErrorFields } from "../../protocol/error-fields.ts";
import { withoutQuery } from "./runtime-errors.ts";
export { log, logError, logWarning } from "../../protocol/log.ts";

/**
 * Fields for the log line of an unexpected error: its text, and its stack with its causes. Queries of the database are left out, because their
 * parameters may be secrets. An error that has one known reason, such as a server that does not answer, needs no stack.
 */
export const errorFields = (error: unknown): ErrorFields => fieldsOf(error, withoutQuery);
