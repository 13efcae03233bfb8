/** Request fields used by several domains. */
import { z } from "@hono/zod-openapi";

/** The message for a field of the contract that is not implemented yet. */
export const LATER = "is not available yet";

export const Metadata = z
  .record(z.string().min(1).max(255), z.string().max(255))
  .refine((pairs) => Object.keys(pairs).length <= 10, "is invalid")
  .openapi({ description: "Up to 10 pairs of your own; values up to 255 characters", example: { campaign: "spring" } });

const asksForNothing = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === "none") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every((inner) => inner === "allow" || asksForNothing(inner));
};

/** A field of the contract that is not implemented yet. A request for it is refused rather than silently ignored. */
export const later = () => z.unknown().refine(asksForNothing, LATER).optional();
