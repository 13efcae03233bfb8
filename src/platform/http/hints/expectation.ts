/** Describes in words which values a schema accepts. Pure. */
import { z } from "@hono/zod-openapi";
import { isLater } from "./later.ts";
import { internalsOf, unwrapped } from "./schema-parts.ts";

/** A noun phrase that completes "must be …", such as "an integer from 1 to 100"; null for a kind of schema that has no words yet. */
export function expectationOf(schema: z.core.$ZodType): string | null {
  const own = unwrapped(schema);
  const { def } = internalsOf(own);
  switch (def.type) {
    case "string":
      return ofString(own as z.core.$ZodString);
    case "number":
      return ofNumber(limitsOf(own));
    case "boolean":
      return "`true` or `false`";
    case "enum":
      return oneOf(Object.values(def.entries));
    case "literal":
      return oneOf(def.values);
    case "array":
      return `an array${sized(limitsOf(own), "minItems", "maxItems", "element")}`;
    case "record":
      return `an object in which each value is ${expectationOf(def.valueType) ?? "valid"}`;
    case "object":
      return "an object";
    case "union":
      return anyOf(def.options);
    default:
      return null;
  }
}

/** The expectation of a value that may match any of these schemas. Those of a later release are named only when there are no others. */
export function anyOf(schemas: readonly z.core.$ZodType[]): string | null {
  const accepted = schemas.filter((one) => !isLater(one));
  const named = accepted.length > 0 ? accepted : schemas;
  const words = new Set(named.map(expectationOf).filter((one) => one !== null));
  return words.size === 0 ? null : [...words].join(" or ");
}

const quoted = (value: unknown) => `\`${String(value)}\``;

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? quoted(values[0]) : `one of ${values.map(quoted).join(", ")}`;
}

type Limits = z.core.JSONSchema.BaseSchema;
const limitsOf = (schema: z.core.$ZodType): Limits => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

const A_UUID = "a UUID, for example `7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205`";

function ofString(schema: z.core.$ZodString): string {
  const limits = limitsOf(schema);
  if (limits.format === "uuid") return A_UUID;
  if (limits.format === "date") return "a date, YYYY-MM-DD";
  const words = internalsOf(schema).def.checks?.map(wordsOfPattern) ?? [];
  return words.find((one) => one !== null) ?? `a string${sized(limits, "minLength", "maxLength", "character")}`;
}

/** The words that `pattern` in `fields.ts` gives to a regular expression; otherwise its source. */
function wordsOfPattern(check: z.core.$ZodCheck): string | null {
  const { def } = internalsOf(check) as unknown as { def: z.core.$ZodCheckRegexDef };
  if (def.check !== "string_format" || def.format !== "regex") return null;
  const words = def.error?.({} as never);
  return typeof words === "string" ? words : `a string that matches ${quoted(def.pattern.source)}`;
}

function sized(limits: Limits, least: "minLength" | "minItems", most: "maxLength" | "maxItems", unit: string): string {
  const [from, to] = [limits[least], limits[most]];
  if (from === undefined) return to === undefined ? "" : ` of up to ${to} ${unit}s`;
  if (to === undefined) return ` of at least ${from} ${unit}${from === 1 ? "" : "s"}`;
  return ` of ${from} to ${to} ${unit}s`;
}

function ofNumber({ type, minimum, maximum, exclusiveMinimum }: Limits): string {
  const noun = type === "integer" ? "an integer" : "a number";
  const known = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  const most = known(maximum) ? maximum : null;
  if (exclusiveMinimum !== undefined)
    return `${noun} above ${exclusiveMinimum}${most === null ? "" : `, up to ${most}`}`;
  if (!known(minimum)) return most === null ? noun : `${noun} up to ${most}`;
  return most === null ? `${noun} of at least ${minimum}` : `${noun} from ${minimum} to ${most}`;
}
