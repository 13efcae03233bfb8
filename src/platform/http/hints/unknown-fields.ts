/** Fields of a request that its schema does not know. Pure. */
import type { z } from "@hono/zod-openapi";
import { isSameName, nearestName } from "../../../../protocol/nearest-name.ts";
import { elsewhereOf } from "./changed-elsewhere.ts";
import { isLater } from "./later.ts";
import { nearestFlag } from "./misspelt-switch.ts";
import type { FieldProblem } from "./field-problem.ts";
import { fieldsOf, fieldsOfOptions, internalsOf, kindsWith, membersOf, unwrapped } from "./schema-parts.ts";

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

/** A member of a body that its schema does not know. */
export interface UnknownMember {
  /** Those known beside it. */
  fields: Record<string, z.core.$ZodType>;
  /** Path of the object that contains it. */
  path: PropertyKey[];
  name: string;
  value: unknown;
  /** Set when the object is of a kind that lacks the field, and other kinds have it. */
  kinds?: ReturnType<typeof kindsWith>;
}

function* unknownMembers(schema: z.core.$ZodType, value: unknown, path: PropertyKey[] = []): Generator<UnknownMember> {
  if (typeof value !== "object" || value === null) return;
  const fields = fieldsOf(schema, value) ?? fieldsOfOptions(schema);
  if (fields !== null && Array.isArray(value)) return; // the schema refuses it
  for (const [name, member] of membersOfValue(value)) {
    const known = membersOf(schema, name, value)[0] ?? null;
    if (known !== null) yield* unknownMembers(known, member, [...path, name]);
    else if (fields !== null)
      yield { fields, path, name: String(name), value: member, kinds: kindsWith(schema, value, String(name)) };
  }
}

/** The unknown fields of a body, with the name that was probably meant. */
export const unknownFields = (schema: z.core.$ZodType, body: unknown): FieldProblem[] =>
  unknownFieldsWhere(schema, body, () => true);

export function unknownFieldsWhere(
  schema: z.core.$ZodType,
  body: unknown,
  isMeant: (member: UnknownMember) => boolean,
): FieldProblem[] {
  const found: FieldProblem[] = [];
  for (const member of unknownMembers(schema, body)) {
    if (found.length >= MAX_UNKNOWN_FIELDS) break;
    if (isMeant(member)) found.push(unknownField(schema, member));
  }
  return found;
}

const membersOfValue = (value: object): [PropertyKey, unknown][] =>
  Array.isArray(value) ? [...value.entries()] : Object.entries(value);

/** @param root the schema of the whole body, in which the field may belong elsewhere */
export function unknownField(root: z.core.$ZodType, member: UnknownMember, noun = "field"): FieldProblem {
  const { fields, path, name } = member;
  const shown = shortened(name);
  const field = fieldName([...path, shown]);
  const elsewhere = elsewhereOf(fields, name);
  if (elsewhere !== null) return { field, message: `\`${shown}\` does not change here; ${elsewhere}` };
  return { field, message: `unknown ${noun} \`${shown}\`${adviceOn(root, member)}` };
}

/** Which field was probably meant, or where it belongs. */
function adviceOn(root: z.core.$ZodType, { fields, path, name, value, kinds = null }: UnknownMember): string {
  if (kinds !== null)
    return ` of ${kinds.discriminator} \`${String(kinds.kind)}\`; it belongs to ${kinds.others.map((kind) => `\`${String(kind)}\``).join(", ")}`;
  const accepted = acceptedNames(fields);
  const near = nearestName(name, accepted) ?? nearestFlag(name, accepted);
  if (near !== null) return `; did you mean \`${near}\`?`;
  const distant = pathsOf(root).find((one) => isSameName(lastOf(one), name));
  if (distant?.includes(".")) return `; did you mean \`${distant}\`?`;
  if (distant !== undefined) return `; \`${distant}\` belongs at the top level`;
  const inside = namesIn(value).find((inner) => accepted.includes(inner));
  if (inside === undefined) return "";
  return `; \`${inside}\` belongs ${path.length === 0 ? "at the top level" : `in \`${fieldName(path)}\``}`;
}

const namesIn = (value: unknown): string[] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

/** The unknown parameters of a query, with the name that was probably meant. */
export function unknownParameters(schema: z.core.$ZodType, query: object): FieldProblem[] {
  const known = fieldsOf(schema, query) ?? {};
  const unknown = Object.keys(query).filter((name) => !Object.hasOwn(known, name));
  return unknown
    .slice(0, MAX_UNKNOWN_FIELDS)
    .map((name) => unknownField(schema, { fields: known, path: [], name, value: null }, "query parameter"));
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
