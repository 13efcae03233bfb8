import { constants, openAsBlob } from "node:fs";
import { access } from "node:fs/promises";
import { extname } from "node:path";
import type { ImportList, ListType } from "../../../index.ts";
import { countText, plain } from "../../terminal/units.ts";
import { CommandError, UsageError } from "../../terminal/usage-error.ts";
import type { BatchSource } from "../records.ts";
import type { ImportSession } from "../session.ts";
import type { LIST_FORMATS } from "./options.ts";
import type { ListOrigin } from "./source-options.ts";

export type ListFormat = (typeof LIST_FORMATS)[number];

const TYPES: Readonly<Record<ListFormat, ListType>> = {
  csv: "text/csv",
  json: "application/json",
  ndjson: "application/x-ndjson",
};
const FORMATS: Readonly<Record<string, ListFormat>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".json": "json",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

/** @throws {UsageError} when neither the option nor the name says it */
export function listFormatOf(path: string, format: ListFormat | undefined): ListFormat {
  const found = format ?? FORMATS[extname(path).toLowerCase()];
  if (found !== undefined) return found;
  throw new UsageError(`The name ${path} does not say which format it has: give --format csv, json or ndjson.`);
}

/** The `source` of a batch that reads a list. A file of this machine is sent first. @throws {CommandError} */
export async function listSource(
  session: ImportSession,
  origin: ListOrigin,
  format: ListFormat | undefined,
): Promise<BatchSource> {
  if ("url" in origin) return { type: "list", url: origin.url, ...(format && { format }) };
  const list = await sendList(session, origin.file, listFormatOf(origin.file, format));
  session.reporter.say({ kind: "list", ...list }, (screen) => {
    screen.step("List", countText(list.rows), list.rows === 1 ? "video" : "videos");
    for (const line of rowErrors(list)) screen.failure("Left out", line);
  });
  if (list.rows === 0) throw new CommandError(`${origin.file} has no row that can be used.`);
  return { type: "list", listId: list.listId };
}

async function sendList({ sluice, signal }: ImportSession, path: string, format: ListFormat): Promise<ImportList> {
  const file = await openFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === "ENOENT" ? `There is no file ${path}.` : `The file ${path} cannot be opened: ${error.message}.`,
    );
  });
  if (file.size === 0) throw new CommandError(`The file ${path} is empty.`);
  return await sluice.sendImportList(file, { type: TYPES[format], signal });
}

/** The error of `openAsBlob` alone does not say what is wrong with the file. */
async function openFile(path: string): Promise<Blob> {
  await access(path, constants.R_OK);
  return openAsBlob(path);
}

const MOST_ROWS = 5;

/** The first rows that cannot be used, and how many more there are. */
export function rowErrors({ errors, errorsTotal }: Pick<ImportList, "errors" | "errorsTotal">): string[] {
  const shown = errors.slice(0, MOST_ROWS).map(({ row, message }) => `row ${row}: ${plain(message)}`);
  const more = errorsTotal - shown.length;
  return more > 0 ? [...shown, `and ${countText(more)} more ${more === 1 ? "row" : "rows"}`] : shown;
}
