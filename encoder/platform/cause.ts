/** Describes an error for the log. `fetch` hides the error of the connection in `cause`. */
export const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
