import { isUnmigrated } from "../runtime-errors.ts";
import { Problem } from "./problems.ts";

/** The problem of a database whose migrations have not been applied; null for every other error. */
export const unmigratedProblem = (error: unknown): Problem | null =>
  isUnmigrated(error)
    ? new Problem(
        "unavailable",
        "the database's migrations have not been applied: npm run deploy applies them, and npm run dev on this machine",
        { cause: error },
      )
    : null;
