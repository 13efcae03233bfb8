import { problemResponses } from "../../platform/http/openapi.ts";

/** Of an operation that creates a media. */
export const creationProblems = problemResponses(
  "media_limit_reached",
  "storage_limit_reached",
  "unauthorized",
  "forbidden",
  "idempotency_conflict",
  "validation_failed",
);
