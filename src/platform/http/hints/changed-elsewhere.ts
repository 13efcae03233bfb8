import type { z } from "@hono/zod-openapi";

type Shape = Record<string, z.core.$ZodType>;
const hintsOfShapes = new WeakMap<Shape, ReadonlyMap<string, string>>();

/**
 * Names fields of a resource that this body does not change, though others do: the answer says where, in place of "unknown field".
 *
 * @param hints by field, such as "use PATCH /v1/on-demand/{mediaId}/source-access"
 */
export function changedElsewhere<Schema extends z.ZodObject>(schema: Schema, hints: Record<string, string>): Schema {
  hintsOfShapes.set(schema.shape, new Map(Object.entries(hints)));
  return schema;
}

/** @param shape the fields that the body may have @returns null = the field is none of the resource's */
export const elsewhereOf = (shape: Shape, name: string): string | null => hintsOfShapes.get(shape)?.get(name) ?? null;
