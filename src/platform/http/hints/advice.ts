/** Valid members of a body that have another effect than they seem to have. Pure. */
import type { z } from "@hono/zod-openapi";
import type { FieldProblem } from "./field-problem.ts";
import { fieldsOf, membersOf } from "./schema-parts.ts";
import { fieldName } from "./unknown-fields.ts";

type Shape = Record<string, z.core.$ZodType>;
/** @param value an object as it was sent @returns `field` is the member's name */
type Advice = (value: Readonly<Record<string, unknown>>) => FieldProblem[];

const adviceOfShapes = new WeakMap<Shape, Advice>();

/** The responses of requests with such an object have these warnings. */
export function advised<Schema extends z.ZodObject>(schema: Schema, advice: Advice): Schema {
  adviceOfShapes.set(schema.shape, advice);
  return schema;
}

/** The warnings about a valid body, with the fields' whole names. */
export function* adviceOn(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[] = [],
): Generator<FieldProblem> {
  if (typeof value !== "object" || value === null) return;
  const shape = fieldsOf(schema, value);
  const advice = (shape && adviceOfShapes.get(shape))?.(value as Record<string, unknown>) ?? [];
  for (const { field, message } of advice) yield { field: fieldName([...path, field]), message };
  const members: [PropertyKey, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [name, member] of members) {
    const [known] = membersOf(schema, name, value);
    if (known !== undefined) yield* adviceOn(known, member, [...path, name]);
  }
}
