/** Checks values against the schemas of `rest.json`, the published contract of the REST interface. Pure. */

export interface Schema {
  type: "boolean" | "string" | "integer" | "number" | "object" | "array" | "union" | "recursive";
  required?: boolean;
  nullable?: boolean;
  enum?: unknown[];
  format?: string;
  fields?: Record<string, Schema>;
  /** False: no other fields. A schema: that of each of the other fields. */
  additional?: boolean | Schema;
  min?: number;
  max?: number;
  maxLength?: number;
  maxProperties?: number;
  items?: Schema;
  anyOf?: Schema[];
  /** The form that older clients read, which is the default (media contract, difference a). */
  olderClients?: Schema;
}

const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  // UTC with microseconds
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  uri: /^[a-z][a-z0-9+.-]*:\/\/\S+$/,
};

/** Intervals of time series (media contract, analytics: "Answer part"). */
const WHOLE_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** What is wrong with a value, each with its place, such as `data.playbackIds[0].id: "x" is not a uuid`. */
export function violations(schema: Schema, value: unknown, place = "answer"): string[] {
  if (value === null) return schema.nullable === true ? [] : [`${place}: null`];
  if (schema.olderClients !== undefined) return violations(schema.olderClients, value, place);
  const isOf = TYPES[schema.type];
  if (!isOf(value)) return [`${place}: ${JSON.stringify(value)} is not of type ${schema.type}`];
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [`${place}: ${JSON.stringify(value)} is not one of ${schema.enum.join(", ")}`];
  const format = place.endsWith(".intervalTime") ? WHOLE_SECONDS : FORMATS[schema.format ?? ""];
  if (format !== undefined && !(typeof value === "string" && format.test(value)))
    return [`${place}: ${JSON.stringify(value)} is not a ${schema.format}`];
  switch (schema.type) {
    case "array":
      return (value as unknown[]).flatMap((item, n) => violations(schema.items!, item, `${place}[${n}]`));
    case "object":
      return fieldViolations(schema, value as Record<string, unknown>, place);
    case "union":
      return unionViolations(schema.anyOf!, value, place);
    default:
      return [];
  }
}

function fieldViolations({ fields, additional }: Schema, value: Record<string, unknown>, place: string): string[] {
  if (fields === undefined) return [];
  const known = Object.entries(fields).flatMap(([name, field]) => {
    if (name in value) return violations(field, value[name], `${place}.${name}`);
    return field.required === true ? [`${place}.${name}: is missing`] : [];
  });
  const unknown = additional === false ? Object.keys(value).filter((name) => !(name in fields)) : [];
  return [...known, ...unknown.map((name) => `${place}.${name}: is not in the contract`)];
}

/** The violations of the alternative that fits best. */
function unionViolations(anyOf: Schema[], value: unknown, place: string): string[] {
  const found = anyOf.map((one) => violations(one, value, place));
  return found.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

const TYPES: Record<Schema["type"], (value: unknown) => boolean> = {
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  object: (value) => typeof value === "object" && !Array.isArray(value),
  array: Array.isArray,
  union: () => true,
  recursive: () => true,
};
