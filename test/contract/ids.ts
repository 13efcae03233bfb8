/** Checks the ids of an answer by the names that they have everywhere in the contract (`idFormats` of `rest.json`). Pure. */
import { ID_FORMATS } from "./contract.ts";

const LISTED: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  hex32: /^[0-9a-f]{32}$/,
};

/** The form of a field with this name; null = it is no id, or the other half of its form is not in the record. */
function formOf(name: string, record: Readonly<Record<string, unknown>>): RegExp | null {
  for (const [form, names] of Object.entries(ID_FORMATS))
    if (typeof names !== "string" && names.includes(name)) return LISTED[form] ?? null;
  const template = ID_FORMATS[name];
  if (typeof template !== "string" || !("streamId" in record)) return null; // the key of a simulcast target is the other platform's
  const text = template.replace("<32 hex>", "[0-9a-f]{32}").replace("<streamId>", String(record["streamId"]));
  return new RegExp(`^${text}$`);
}

/** What is wrong with the ids in a value, each with its place. */
export function idViolations(value: unknown, place = "answer"): string[] {
  if (Array.isArray(value)) return value.flatMap((item, n) => idViolations(item, `${place}[${n}]`));
  if (typeof value !== "object" || value === null) return [];
  const record = value as Record<string, unknown>;
  return Object.entries(record).flatMap(([name, member]) => {
    if (typeof member !== "string") return idViolations(member, `${place}.${name}`);
    const form = formOf(name, record);
    return form === null || form.test(member) ? [] : [`${place}.${name}: ${member} is not ${form.source}`];
  });
}
