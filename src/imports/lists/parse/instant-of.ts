/** Years 1970 to 2100, in which a number of seconds is not one of milliseconds. */
const LAST_SECOND = 4_102_444_800;

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * A point in time as RFC 3339, from ISO 8601 (a space for the `T`, a date alone, and no offset, which means UTC), or from seconds or milliseconds since
 * 1970. Null for anything else: dates such as 05/06/2026 have two meanings.
 */
export function instantOf(value: unknown): string | null {
  const text = typeof value === "number" || typeof value === "string" ? String(value).trim() : "";
  const atMs = /^\d{9,13}$/.test(text) ? msOf(Number(text)) : Date.parse(isoOf(text));
  return Number.isFinite(atMs) ? new Date(atMs).toISOString() : null;
}

const msOf = (number: number) => (number <= LAST_SECOND ? number * 1000 : number);

function isoOf(text: string): string {
  const [, date, time, offset] = ISO.exec(text) ?? [];
  if (date === undefined) return "";
  if (time === undefined) return `${date}T00:00:00Z`;
  const zone =
    offset === undefined || /^(?:z|utc)$/i.test(offset) ? "Z" : offset.replace(/^(.\d{2}):?(\d{2})$/, "$1:$2");
  return `${date}T${time}${zone}`;
}
