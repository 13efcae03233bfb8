import type { ListFormat } from "../sources/list.ts";

const TYPES: Record<string, ListFormat> = {
  "text/csv": "csv",
  "application/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "application/x-jsonlines": "ndjson",
};

const EXTENSIONS: Record<string, ListFormat> = {
  csv: "csv",
  tsv: "csv",
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
};

/** The format that a Content-Type names, and its charset. Null = another one. Pure. */
export function readContentType(header: string): { format: ListFormat | null; charset: string | null } {
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim());
  const charsets = parameters.map((one) => /^charset="?([^"\s]+)"?$/i.exec(one)?.[1] ?? null);
  const format = TYPES[type.toLowerCase()] ?? null;
  return { format, charset: charsets.find((one) => one !== null) ?? null };
}

/** The format that the end of an address's path names; null = none. */
export function formatOfPath(url: string): ListFormat | null {
  const [, extension = ""] = /\.([a-z]+)$/i.exec(new URL(url).pathname) ?? [];
  return EXTENSIONS[extension.toLowerCase()] ?? null;
}
