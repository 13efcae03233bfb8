/** What would be right instead of an invalid value, in words. Pure. */
import type { z } from "@hono/zod-openapi";
import { anyOf, expectationOf } from "./expectation.ts";
import { internalsOf, membersOf, unwrapped } from "./schema-parts.ts";

/** The parameters of a custom issue that has a hint of its own: `refine(check, { message, params: { hint } })`. */
export const hinted = (message: string, hint: string) => ({ message, params: { hint } });

/**
 * Completes a sentence that starts with the field's name. Null when the schema says no more than the issue's message.
 *
 * @param schema of the whole body or query; null when only custom issues can occur
 * @param data the validated value
 */
export function hintOf(issue: z.core.$ZodIssue, schema: z.core.$ZodType | null, data: unknown): string | null {
  if (issue.code === "custom") return ownHint(issue);
  if (schema === null) return null;
  const { schemas, value } = follow(schema, data, issue.path);
  if (issue.code === "invalid_key") return sentence("must have a name that is", keyExpectation(schema, data, issue));
  return value === undefined ? "is required" : sentence("must be", anyOf(schemas));
}

const sentence = (start: string, expectation: string | null) =>
  expectation === null ? null : `${start} ${expectation}`;

function ownHint({ params }: z.core.$ZodIssueCustom): string | null {
  const hint: unknown = params?.["hint"];
  return typeof hint === "string" ? hint : null;
}

/** The value at a path, and the schemas that it may have: several below a union whose option is unknown. */
export function follow(schema: z.core.$ZodType, data: unknown, path: readonly PropertyKey[]) {
  let schemas = [schema];
  let value = data;
  for (const key of path) {
    const container = value;
    schemas = schemas.flatMap((one) => membersOf(one, key, container));
    value = (container as Record<PropertyKey, unknown> | null | undefined)?.[key];
  }
  return { schemas, value };
}

/** An issue of a record's key has the key at the end of its path. */
function keyExpectation(schema: z.core.$ZodType, data: unknown, { path }: z.core.$ZodIssue): string | null {
  const [record] = follow(schema, data, path.slice(0, -1)).schemas;
  const def = record && internalsOf(unwrapped(record)).def;
  return def?.type === "record" ? expectationOf(def.keyType) : null;
}
