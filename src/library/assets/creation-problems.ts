import { problemResponses } from "../../platform/http/openapi.ts";
import type { ProblemCode } from "../../platform/http/problems.ts";

/** Problems of an operation that creates a media. @param more the operation's specific problems */
export const creationProblems = (...more: ProblemCode[]) =>
  problemResponses(
    ...more,
    "mp4_support_with_drm",
    "duplicate_language_name",
    "media_limit_reached",
    "storage_limit_reached",
    "unauthorized",
    "forbidden",
    "idempotency_conflict",
    "validation_failed",
  );
