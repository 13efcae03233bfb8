import type { ViewRecord } from "./view-record.ts";

/** Most characters in all texts of a record. That of a usual view has about 1,500. */
const MAX_TEXTS_LENGTH = 16_384;
/** A record beyond it keeps so much of each text. */
const SHORT_LENGTH = 128;

/** Shortens the texts of a record that has too much text: a player is not authenticated, and a store has room for 10 GB. */
export function boundRecord(view: ViewRecord): ViewRecord {
  const length = (value: unknown): number => {
    if (typeof value === "string") return value.length;
    return typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, inner) => sum + length(inner), 0)
      : 0;
  };
  if (length(view) <= MAX_TEXTS_LENGTH) return view;
  const shorten = (value: unknown): unknown => {
    if (typeof value === "string") return value.slice(0, SHORT_LENGTH);
    return typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]))
      : value;
  };
  return shorten(view) as ViewRecord;
}
