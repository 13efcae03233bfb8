import { decodeText } from "../../../../src/imports/lists/parse/decode-text.ts";
import { readCsv } from "../../../../src/imports/lists/parse/read-csv.ts";
import { readJson } from "../../../../src/imports/lists/parse/read-json.ts";
import { readNdjson } from "../../../../src/imports/lists/parse/read-ndjson.ts";
import { readRow } from "../../../../src/imports/lists/parse/read-row.ts";
import { Problem } from "../../../../src/platform/http/problems.ts";
import type { ListItem } from "../../../../src/imports/sources/list-item.ts";

export type Format = "csv" | "json" | "ndjson";

/** The bytes in pieces of this length, so that rows, quotes and characters are cut anywhere. */
export async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

export interface ReadList {
  items: Partial<ListItem>[];
  errors: { row: number; message: string }[];
  unknown: string[];
}

/** What is read of a file: items without their empty fields. */
export async function readList(
  format: Format,
  file: string | Uint8Array,
  { pieceBytes = 7, charset = null as string | null } = {},
): Promise<ReadList> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const texts = decodeText(inPieces(bytes, pieceBytes), charset);
  const rows = format === "csv" ? (await readCsv(texts)).rows : format === "json" ? readJson(texts) : readNdjson(texts);
  const [items, errors, unknown] = [[], [], new Set()] as [ReadList["items"], ReadList["errors"], Set<string>];
  let row = 0;
  for await (const raw of rows) {
    row += 1;
    const read = readRow(raw, (name) => unknown.add(name));
    if ("message" in read) errors.push({ row, message: read.message });
    else items.push(withoutEmpty(read.item));
  }
  return { items, errors, unknown: [...unknown] };
}

const isEmpty = (value: unknown) => value === null || (typeof value === "object" && Object.keys(value).length === 0);

const withoutEmpty = (item: ListItem): Partial<ListItem> =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => !isEmpty(value)));

/** The message of the problem that refuses the file. */
export const refusalOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => "accepted",
    (error: unknown) => {
      if (error instanceof Problem) return `${error.code}: ${error.message}`;
      throw error;
    },
  );
