import { z } from "@hono/zod-openapi";
import { PROBLEMS, type ProblemCode } from "./problems.ts";

const ErrorBody = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.int().openapi({ description: "The HTTP status once more" }),
      message: z.string(),
      description: z.string().optional(),
      fields: z
        .array(z.object({ field: z.string(), message: z.string() }))
        .optional()
        .openapi({ description: "With 422 only: every field that is wrong" }),
    }),
  })
  .openapi("Error");

export const json = <T extends z.ZodType>(schema: T) => ({ "application/json": { schema } });

/** The error responses of a route, for the OpenAPI document. */
export function problemResponses(...codes: ProblemCode[]) {
  const entries = codes.map(
    (code) => [PROBLEMS[code].status, { description: PROBLEMS[code].message, content: json(ErrorBody) }] as const,
  );
  return Object.fromEntries(entries) as object;
}
