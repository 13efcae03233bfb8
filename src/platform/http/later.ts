/** What the contract has and this release refuses. */
import { z } from "@hono/zod-openapi";

/** The message for a field of the contract that is not implemented yet. */
export const LATER = "is not available yet";

const schemas = new WeakSet<z.core.$ZodType>();

/** Keeps hints from offering what the schema describes, since it would be refused. */
export function markLater<Schema extends z.core.$ZodType>(schema: Schema): Schema {
  schemas.add(schema);
  return schema;
}

export const isLater = (schema: z.core.$ZodType): boolean => schemas.has(schema);

const asksForNothing = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === "none") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every((inner) => inner === "allow" || asksForNothing(inner));
};

/** A field of the contract that is not implemented yet. A request for it is refused rather than silently ignored. */
export const later = () =>
  markLater(
    z
      .unknown()
      .refine(asksForNothing, LATER)
      .optional()
      .openapi({ description: "Not available yet: refused unless it asks for nothing" }),
  );
