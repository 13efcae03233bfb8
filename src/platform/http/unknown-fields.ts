/** Fields of a request that its schema does not know. Pure. */
import type { z } from "@hono/zod-openapi";
import { isSameName, nearestName } from "./nearest-name.ts";
import { isLater } from "./later.ts";
import type { FieldProblem } from "./problems.ts";
import { fieldsOf, fieldsOfOptions, internalsOf, membersOf, unwrapped } from "./schema-parts.ts";

/** Further ones are not named. */
export const MAX_UNKNOWN_FIELDS = 20;
/** A longer name is cut. */
const MAX_NAME_LENGTH = 64;

/** The name of a field in responses, for example `inputs[0].url`. */
export const fieldName = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : name ? `${name}.${String(part)}` : String(part)),
    "",
  );

/** The unknown fields of a body, with the name that was probably meant. */
export function unknownFields(schema: z.core.$ZodType, body: unknown): FieldProblem[] {
  const found: FieldProblem[] = [];
  const visit = (inner: z.core.$ZodType, value: unknown, path: PropertyKey[]) => {
    if (typeof value !== "object" || value === null) return;
    const fields = fieldsOf(inner, value) ?? fieldsOfOptions(inner);
    if (fields !== null && Array.isArray(value)) return; // the schema refuses it
    for (const [name, member] of membersOfValue(value)) {
      if (found.length >= MAX_UNKNOWN_FIELDS) return;
      const known = membersOf(inner, name, value)[0] ?? null;
      if (known !== null) visit(known, member, [...path, name]);
      else if (fields !== null) found.push(unknownField(schema, fields, path, String(name)));
    }
  };
  visit(schema, body, []);
  return found;
}

const membersOfValue = (value: object): [PropertyKey, unknown][] =>
  Array.isArray(value) ? [...value.entries()] : Object.entries(value);

/** @param root the schema of the whole body, in which the field may belong elsewhere. @param fields those known beside it */
export function unknownField(
  root: z.core.$ZodType,
  fields: Record<string, z.core.$ZodType>,
  path: PropertyKey[],
  name: string,
  noun = "field",
): FieldProblem {
  const shown = shortened(name);
  const meant = nearestName(name, acceptedNames(fields)) ?? pathsOf(root).find((one) => isSameName(lastOf(one), name));
  const question = meant === undefined ? "" : `; did you mean \`${meant}\`?`;
  return { field: fieldName([...path, shown]), message: `unknown ${noun} \`${shown}\`${question}` };
}

/** The unknown parameters of a query, with the name that was probably meant. */
export function unknownParameters(schema: z.core.$ZodType, query: object): FieldProblem[] {
  const known = fieldsOf(schema, query) ?? {};
  const unknown = Object.keys(query).filter((name) => !Object.hasOwn(known, name));
  return unknown.slice(0, MAX_UNKNOWN_FIELDS).map((name) => unknownField(schema, known, [], name, "query parameter"));
}

const shortened = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;

const lastOf = (path: string) => path.slice(path.lastIndexOf(".") + 1);

const acceptedNames = (fields: Record<string, z.core.$ZodType>): string[] =>
  Object.keys(fields).filter((name) => !isLater(fields[name]!));

/** Every field of a schema that is accepted, such as `inputs[].url`. */
function pathsOf(schema: z.core.$ZodType, prefix = ""): string[] {
  const { def } = internalsOf(unwrapped(schema));
  if (def.type === "array") return pathsOf(def.element, `${prefix}[]`);
  if (def.type === "union")
    return [...new Set(def.options.flatMap((option) => (isLater(option) ? [] : pathsOf(option, prefix))))];
  if (def.type !== "object") return [];
  return acceptedNames(def.shape).flatMap((name) => {
    const inner = def.shape[name]!;
    const path = prefix === "" ? name : `${prefix}.${name}`;
    return [path, ...pathsOf(inner, path)];
  });
}
