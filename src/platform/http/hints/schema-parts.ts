/** Reads the structure of zod schemas. Pure. */
import type { z } from "@hono/zod-openapi";
import { isLater } from "./later.ts";

type Schema = z.core.$ZodTypes;

/** The part of a schema that zod documents for libraries. */
// oxlint-disable-next-line eslint/no-underscore-dangle -- the name is zod's
export const internalsOf = <S extends { _zod: unknown }>(schema: S): S["_zod"] => schema._zod;

/** The schema of the value itself: without defaults, `optional`, `nullable` and transformations. */
export function unwrapped(schema: z.core.$ZodType): Schema {
  const { def } = internalsOf(schema as Schema);
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
      return unwrapped(def.innerType);
    case "pipe":
      // With `preprocess`, the schema of the value is behind the function.
      return unwrapped(internalsOf(def.in as Schema).def.type === "transform" ? def.out : def.in);
    default:
      return schema as Schema;
  }
}

/** The fields of an object, by name; null for any other schema. @param value selects the option of a union */
export function fieldsOf(schema: z.core.$ZodType, value: unknown): Record<string, z.core.$ZodType> | null {
  const { def } = internalsOf(optionFor(schema, value));
  return def.type === "object" ? def.shape : null;
}

/** The fields that an object may have which names no option of its union; null when an option is no object. */
export function fieldsOfOptions(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | null {
  const { def } = internalsOf(unwrapped(schema));
  if (def.type !== "union") return null;
  const shapes = def.options.map((option) => fieldsOf(option, null));
  return shapes.every((shape) => shape !== null) ? Object.assign({}, ...shapes) : null;
}

/** The kinds of a discriminated union that have a field, other than the kind that the value names. */
export function kindsWith(
  schema: z.core.$ZodType,
  value: unknown,
  name: string,
): { discriminator: string; kind: unknown; others: unknown[] } | null {
  const { def } = internalsOf(unwrapped(schema));
  if (def.type !== "union" || !("discriminator" in def)) return null;
  const { discriminator } = def as z.core.$ZodDiscriminatedUnionDef;
  const having = def.options.filter((one) => !isLater(one) && Object.hasOwn(fieldsOf(one, null) ?? {}, name));
  const others = having.flatMap((one) => [...(internalsOf(fieldsOf(one, null)![discriminator]!).values ?? [])]);
  const kind = (value as Record<string, unknown> | null | undefined)?.[discriminator];
  return others.length === 0 || typeof kind !== "string" ? null : { discriminator, kind, others };
}

/** The schema of one member of a value; null when the schema does not say. */
function memberOf(schema: z.core.$ZodType, key: PropertyKey, value: unknown): z.core.$ZodType | null {
  const { def } = internalsOf(optionFor(schema, value));
  if (def.type === "object") return Object.hasOwn(def.shape, key) ? (def.shape[String(key)] ?? null) : null;
  if (def.type === "array") return def.element;
  if (def.type === "record") return def.valueType;
  return null;
}

/** The schemas that a member may have. When the value names no option of a union: those of every option that is accepted. */
export function membersOf(schema: z.core.$ZodType, key: PropertyKey, value: unknown): z.core.$ZodType[] {
  const known = memberOf(schema, key, value);
  if (known !== null) return [known];
  const { def } = internalsOf(optionFor(schema, value));
  if (def.type !== "union") return [];
  return def.options.filter((option) => !isLater(option)).flatMap((option) => membersOf(option, key, value));
}

/** The position of the only option of a union that an object can be meant as; -1 = there is none. */
export function objectOption(schema: z.core.$ZodType, value: unknown): number {
  const { def } = internalsOf(unwrapped(schema));
  if (def.type !== "union" || "discriminator" in def) return -1;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return -1;
  const positions = def.options.flatMap((one, at) => (internalsOf(unwrapped(one)).def.type === "object" ? [at] : []));
  return positions.length === 1 ? positions[0]! : -1;
}

/** The option of a union that the value names, or can only be meant as; any other schema as it is. */
function optionFor(schema: z.core.$ZodType, value: unknown): Schema {
  const own = unwrapped(schema);
  const { def } = internalsOf(own);
  if (def.type !== "union") return own;
  if (!("discriminator" in def)) {
    const meant = def.options[objectOption(own, value)];
    return meant === undefined ? own : optionFor(meant, value);
  }
  const name = (def as z.core.$ZodDiscriminatedUnionDef).discriminator;
  const wanted = (value as Record<string, unknown> | null | undefined)?.[name];
  const option = def.options.find((one) => {
    const field = fieldsOf(one, null)?.[name];
    return field !== undefined && internalsOf(field).values?.has(wanted as z.core.util.Primitive) === true;
  });
  return option === undefined ? own : optionFor(option, value);
}
