/** Rows as text, piece by piece: for exports that may be long. Pure. */

export const ROW_FORMATS = ["json", "ndjson", "csv"] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

type Row = Record<string, unknown>;

interface Writer {
  contentType: string;
  begin: (fields: readonly string[]) => string;
  /** @param index of the row in the export, from 0 */
  row: (row: Row, fields: readonly string[], index: number) => string;
  end: string;
}

const picked = (row: Row, fields: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(fields.map((name) => [name, row[name] ?? null])));

export const WRITERS: Record<RowFormat, Writer> = {
  json: {
    contentType: "application/json",
    begin: () => "[",
    row: (row, fields, index) => `${index === 0 ? "" : ",\n"}${picked(row, fields)}`,
    end: "]\n",
  },
  ndjson: {
    contentType: "application/x-ndjson",
    begin: () => "",
    row: (row, fields) => `${picked(row, fields)}\n`,
    end: "",
  },
  // RFC 4180. Spreadsheets recognize UTF-8 by the byte order mark.
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    begin: (fields) => `\uFEFF${fields.map(csvValue).join(",")}\r\n`,
    row: (row, fields) => `${fields.map((name) => csvValue(row[name])).join(",")}\r\n`,
    end: "",
  },
};

/** Spreadsheets take these for the beginning of a formula, some also in full width. */
const FORMULA = "[=+\\-@＝＋－＠]";
/** They skip control characters, invisible ones and spaces in front of it. */
const SKIPPED = "[\\s\\p{C}]";
/** Some part cells here, whatever the quotes say. */
const PARTING = "[;\\t\\r\\n]";
const BEGINS_AS_FORMULA = new RegExp(`^${SKIPPED}*${FORMULA}|^[\\t\\r\\n]`, "u");
const GOES_ON_AS_FORMULA = new RegExp(`(${PARTING})((?:(?!${PARTING})${SKIPPED})*)(?=${FORMULA})`, "gu");

/** Text that a spreadsheet would run as a formula gets an apostrophe in front, and so does such a part of it. */
function withoutFormulas(text: string): string {
  const inside = text.replace(GOES_ON_AS_FORMULA, "$1'$2");
  return BEGINS_AS_FORMULA.test(text) ? `'${inside}` : inside;
}

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = withoutFormulas(text);
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
