import type { z } from "@hono/zod-openapi";
import { nearestName } from "./nearest-name.ts";
import { Problem } from "./problems.ts";
import { unknownFieldsWhere } from "./unknown-fields.ts";

/** Who may play, in bodies of media and streams. */
const POLICIES = ["accessPolicy", "mediaPolicy"];

/**
 * Other unknown fields are ignored with a warning. A policy that is misspelt or in the wrong place is not: what was asked to be private would
 * be public.
 *
 * @throws {Problem} validation_failed
 */
export function requirePolicyInPlace(schema: z.core.$ZodType, body: unknown): void {
  const found = unknownFieldsWhere(schema, body, ({ name, value }) => isRestrictive(name, value));
  const fields = found.map(({ field, message }) => ({ field, message: "is invalid", hint: message }));
  if (fields.length > 0) throw new Problem("validation_failed", "validation failed", { fields });
}

/** Objects inside an unknown field, in which a policy is looked for. */
const MAX_DEPTH = 3;

/** Whether a field, or one inside it, limits who may play. */
function isRestrictive(name: string, value: unknown, depth = 0): boolean {
  if (typeof value === "object" && value !== null)
    return (
      depth < MAX_DEPTH && Object.entries(value).some(([inner, member]) => isRestrictive(inner, member, depth + 1))
    );
  return typeof value === "string" && value !== "public" && nearestName(name, POLICIES) !== null;
}
