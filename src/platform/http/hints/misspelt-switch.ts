/** Flags that are on unless a request says otherwise. Pure. */
import type { z } from "@hono/zod-openapi";
import { nearestName } from "../../../../protocol/nearest-name.ts";
import { internalsOf } from "./schema-parts.ts";

/** Words that begin the name of a flag here, and that other services leave out: `recording` for `enableRecording`. */
const FLAG_WORDS = /^(?:is|enable)(?=[A-Z])/;
const stemOf = (name: string): string => name.replace(FLAG_WORDS, "");

/** The known name of a flag that a name without `is` or `enable` probably means; null = none. */
export function nearestFlag(name: string, known: readonly string[]): string | null {
  const flags = known.filter((one) => FLAG_WORDS.test(one));
  const stem = nearestName(stemOf(name), flags.map(stemOf));
  return flags.find((one) => stemOf(one) === stem) ?? null;
}

/**
 * Whether an unknown field probably switches off what is on by default, such as `enabled: false` for `isEnabled`.
 *
 * @param member `fields`: those known beside it
 */
export function isSwitchOff({
  fields,
  name,
  value,
}: {
  fields: Record<string, z.core.$ZodType>;
  name: string;
  value: unknown;
}): boolean {
  if (value !== false) return false;
  const onByDefault = Object.keys(fields).filter((field) => isOnByDefault(fields[field]!));
  return (nearestName(name, onByDefault) ?? nearestFlag(name, onByDefault)) !== null;
}

function isOnByDefault(schema: z.core.$ZodType): boolean {
  const { def } = internalsOf(schema as z.core.$ZodTypes);
  return def.type === "default" && def.defaultValue === true;
}
