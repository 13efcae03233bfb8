import type { z } from "@hono/zod-openapi";
import { Instant } from "./instant.ts";

/** For a query: `z.object({ ...timeRange("Made") }).superRefine(checkTimeRange)`. */
export const timeRange = (happened: string) => ({
  from: Instant.optional().openapi({ description: `${happened} then or later` }),
  to: Instant.optional().openapi({ description: `${happened} before then` }),
});

/** An end before its beginning is a mistake, not an empty range; the same moment twice is one. */
export function checkTimeRange(
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
  context: z.RefinementCtx,
) {
  if (from !== undefined && to !== undefined && from > to)
    context.addIssue({ code: "custom", path: ["to"], message: "is before from" });
}
