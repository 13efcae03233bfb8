import { z } from "@hono/zod-openapi";
import { DELIVERY_FAILURES, type DeliveryFailure } from "./failures.ts";

const failureCodes = Object.keys(DELIVERY_FAILURES) as [DeliveryFailure, ...DeliveryFailure[]];

/** A failure as the API returns it. */
export const ReasonRecord = z.object({ code: z.enum(failureCodes), message: z.string() });
export const FailureRecord = ReasonRecord.extend({
  detail: z.string().optional().openapi({ description: "Details", example: "answered 404" }),
})
  .nullable()
  .openapi("DeliveryFailure", { description: "null = delivered" });

/** Status of an attempt's response. */
export const HttpStatus = z.int().nullable().openapi({ description: "HTTP; null = no response" });

/** A code that an earlier release stored may no longer have a message. */
export function toFailure(code: string | null, detail: string | null = null) {
  if (code === null) return null;
  const message = DELIVERY_FAILURES[code as DeliveryFailure]?.message ?? code;
  return { code: code as DeliveryFailure, message, ...(detail === null ? {} : { detail }) };
}
