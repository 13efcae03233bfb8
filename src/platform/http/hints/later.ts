/** What the contract has and this release refuses. */
import { z } from "@hono/zod-openapi";

/** The message for a field of the contract that is not implemented yet. */
const LATER = "is not available yet";

const schemas = new WeakSet<z.core.$ZodType>();

/** Keeps hints from offering what the schema describes, since it would be refused. */
export function markLater<Schema extends z.core.$ZodType>(schema: Schema): Schema {
  schemas.add(schema);
  return schema;
}

export const isLater = (schema: z.core.$ZodType): boolean => schemas.has(schema);

const NOTHING: ReadonlySet<unknown> = new Set([undefined, null, false, "", "none"]);

/** With `generate: false`, the other members of an object are settings of what is not generated. */
const asksForNothing = (value: unknown): boolean => {
  if (NOTHING.has(value)) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== "object" || value === null) return false;
  if ("generate" in value && NOTHING.has(value.generate)) return true;
  return Object.values(value).every((inner) => inner === "allow" || asksForNothing(inner));
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

/** Whether it is off, where an empty object is on with the defaults. */
export const isOff = (value: unknown): boolean => NOTHING.has(value) || (Array.isArray(value) && value.length === 0);

/**
 * A setting that clients also send empty when they want nothing, as `{}`, `false` or `null`. That is null, and differs from not sending it.
 *
 * @param isNothing what else than a value of the schema is null
 */
export const orNull = <Schema extends z.ZodType>(schema: Schema, isNothing = asksForNothing) =>
  z.preprocess((value) => (value !== undefined && isNothing(value) ? null : value), schema.nullable().optional());
