import type { z } from "@hono/zod-openapi";
import { Instant } from "./instant.ts";

/** For a query: `z.object({ ...timeRange("Made") }).superRefine(checkTimeRange)`. */
export const timeRange = (happened: string) => ({
  from: Instant.optional().openapi({ description: `${happened} then or later` }),
  to: Instant.optional().openapi({ description: `${happened} before then` }),
});

/** Refuses an end before the start. Equal times are an empty range. */
export function checkTimeRange(
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
  context: z.RefinementCtx,
) {
  if (from !== undefined && to !== undefined && from > to)
    context.addIssue({ code: "custom", path: ["to"], message: "is before from" });
}
