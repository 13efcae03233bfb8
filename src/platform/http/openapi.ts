import { z } from "@hono/zod-openapi";
import { Problem, problemBody, PROBLEMS, type ProblemCode } from "./problems.ts";

const FieldMessages = z.array(z.object({ field: z.string(), message: z.string() }));
const ErrorBody = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.int().openapi({ description: "The HTTP status once more" }),
      message: z.string(),
      description: z.string().optional(),
      fields: FieldMessages.optional().openapi({ description: "With 422 only: every field that is wrong" }),
      hints: FieldMessages.optional().openapi({
        description: "With `fields`, in the same order: what would be right",
      }),
    }),
  })
  .openapi("Error");

export const json = <T extends z.ZodType>(schema: T) => ({ "application/json": { schema } });

/** Details of the problems of the API, as examples. */
const DETAILS: Partial<Record<ProblemCode, string>> = {
  not_ready: "the broadcast has not come to the clip's end",
  stream_not_active: "the stream is idle",
  stream_disabled: "the stream is disabled",
  stream_enabled: "the stream is idle",
  stream_not_idle: "targets are added while the stream is idle",
  media_limit_reached: "a workspace has at most 1000000 media",
  stream_limit_reached: "a workspace has at most 10000 live streams",
  upload_limit_reached: "a workspace has at most 1000 uploads that wait for their file",
  storage_limit_reached: "a workspace stores at most 54975581388800 bytes",
  webhook_limit_reached: "a workspace has at most 50 webhooks",
  unauthorized: "wrong or no credentials",
  idempotency_conflict: "use a new key for a new request",
  webhook_disabled:
    'The endpoint answered 410 Gone: it accepts no more events. Enable it first, with PATCH {"enabled": true}.',
  secret_rotated_recently: "the previous secret signs until 2026-05-21T12:50:15.662000Z",
  too_many_requests: "a workspace may send 6000 API requests a minute",
  clip_limit_reached:
    "a stream has at most 60 new clips an hour, and a workspace at most 60 new clips of media a minute",
  unavailable: "the sealed secrets cannot be used at the moment",
};
const INVALID = { field: "limit", message: "is invalid", hint: "must be an integer from 1 to 50" };

function exampleOf(code: ProblemCode) {
  const fields = code === "validation_failed" ? [INVALID] : [];
  return problemBody(new Problem(code, DETAILS[code] ?? PROBLEMS[code].message, { fields }));
}

/**
 * The error responses of a route, for the OpenAPI document: one for each status, with an example for each problem. Routes that require
 * credentials may also refuse too many requests.
 */
export function problemResponses(...named: ProblemCode[]) {
  const codes = named.includes("unauthorized") ? new Set<ProblemCode>([...named, "too_many_requests"]) : named;
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  const entries = [...byStatus].map(([status, problems]) => {
    const description = [...new Set(problems.map((code) => PROBLEMS[code].message))].join("; ");
    const examples = Object.fromEntries(problems.map((code) => [code, { value: exampleOf(code) }]));
    return [status, { description, content: { "application/json": { schema: ErrorBody, examples } } }] as const;
  });
  return Object.fromEntries(entries) as object;
}
