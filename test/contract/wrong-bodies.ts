/** Wrong values for each field of the request bodies in the published contract (`request-schemas.json`). Pure. */
import * as fc from "fast-check";
import schemas from "./request-schemas.json" with { type: "json" };
import type { Schema } from "./schema.ts";

export const REQUEST_SCHEMAS = schemas as unknown as Record<
  string,
  { body?: Schema; query?: Record<string, Schema> } | undefined
>;

export type Path = readonly (string | number)[];
export interface Field {
  path: Path;
  schema: Schema;
  /** The field that names the alternative of a union to which this one belongs, and its value there. */
  kind?: { path: Path; value: unknown };
}

/** Every field of a schema, those of all alternatives included; each path and type once. */
export function fieldsOf(schema: Schema, path: Path = []): Field[] {
  const inner = (): Field[] => {
    switch (schema.type) {
      case "object":
        return [
          ...Object.entries(schema.fields ?? {}).flatMap(([name, field]) => fieldsOf(field, [...path, name])),
          ...(typeof schema.additional === "object" ? fieldsOf(schema.additional, [...path, "someName"]) : []),
        ];
      case "array":
        return schema.items === undefined ? [] : fieldsOf(schema.items, [...path, 0]);
      case "union":
        return schema.anyOf!.flatMap((one) => {
          const names = one.fields?.["type"]?.enum;
          const kind = names === undefined ? {} : { kind: { path: [...path, "type"], value: names[0] } };
          return fieldsOf(one, path)
            .filter((field) => field.path.length > path.length)
            .map((field) => ({ ...kind, ...field }));
        });
      default:
        return [];
    }
  };
  const all: Field[] = [...(path.length === 0 ? [] : [{ path, schema }]), ...inner()];
  const seen = new Set<string>();
  return all.filter((field) => {
    const key = JSON.stringify([field.path, field.schema.type, field.schema.enum]);
    return !seen.has(key) && seen.add(key);
  });
}

const word = fc.string({ minLength: 1, maxLength: 12 }).map((text) => `not ${text}`);
const list = fc.array(word, { minLength: 1, maxLength: 3 });
const record = word.map((text) => ({ nonsense: text }));
const number = fc.integer({ min: 1, max: 1_000_000 });

/** Values of another type, or outside of the values that the field may have. None of them asks for nothing, as `false` and `[]` may. */
export function wrongValues({ type, enum: values, format }: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case "string": {
      const texts = values !== undefined || format === "uuid" ? [word] : [];
      return fc.oneof(...texts, number, fc.constant(true), list, record);
    }
    case "integer":
    case "number":
      return fc.oneof(word, fc.constant(true), list, record);
    case "boolean":
      return fc.oneof(word, number, list, record);
    case "array":
      return fc.oneof(word, number, fc.constant(true), record);
    default:
      return fc.oneof(word, number, fc.constant(true), list);
  }
}

/** Values just outside of the bounds that the contract gives, by what is wrong with them. */
export function valuesBeyond({ type, min, max, maxLength, maxProperties }: Schema): [what: string, value: unknown][] {
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`name${n}`, "a"]));
  return [
    ...(maxLength === undefined ? [] : [[`longer than ${maxLength}`, "x".repeat(maxLength + 1)] as [string, unknown]]),
    ...(min === undefined ? [] : [[`below ${min}`, min - 1] as [string, unknown]]),
    ...(max === undefined ? [] : [[`above ${max}`, max + 1] as [string, unknown]]),
    ...(maxProperties === undefined
      ? []
      : [[`more than ${maxProperties} pairs`, pairs(maxProperties + 1)] as [string, unknown]]),
    ...(type === "integer" ? [["a fraction", (min ?? 1) + 0.5] as [string, unknown]] : []),
    ["null", null],
  ];
}

/** A copy of the body without the field. */
export function without(body: unknown, path: Path): unknown {
  const copy = structuredClone(body);
  const parent = path.slice(0, -1).reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], copy);
  delete (parent as Record<string, unknown>)[path.at(-1)!];
  return copy;
}

/** A copy of the body with another value at the path, whose parents are created where they are missing. */
export function withValue(body: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === "number") {
    const items = Array.isArray(body) ? [...(body as unknown[])] : [];
    items[key] = withValue(items[key], rest, value);
    return items;
  }
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  return { ...fields, [key]: withValue(fields[key], rest, value) };
}

export const nameOf = (path: Path): string =>
  path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? part : `${name}.${part}`;
  }, "");

/** Whether the one field is the other, contains it, or is inside of it. */
export const isRelated = (one: string, other: string): boolean =>
  [`${one}.`, `${one}[`].some((start) => `${other}.`.startsWith(start)) ||
  [`${other}.`, `${other}[`].some((start) => `${one}.`.startsWith(start));
