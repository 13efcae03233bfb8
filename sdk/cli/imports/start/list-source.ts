import { accessSync, constants, openAsBlob, statSync } from "node:fs";
import { access } from "node:fs/promises";
import { extname } from "node:path";
import type { ImportList, ListType } from "../../../index.ts";
import { countText, plain } from "../../terminal/units.ts";
import { CommandError, UsageError } from "../../terminal/usage-error.ts";
import { warn } from "../marks.ts";
import { ask } from "../questions.ts";
import type { BatchSource } from "../records.ts";
import type { ImportSession } from "../session.ts";
import type { Given, LIST_FORMATS } from "./options.ts";

/** Where the list comes from: a file of this machine, which is sent first, or an address. */
type ListOrigin = { file: string } | { url: string };

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

/** @throws {UsageError} without a terminal when it is not given, and for two of them */
export async function listOrigin({ file, url, format }: Given): Promise<ListOrigin> {
  if (file !== undefined && url !== undefined)
    throw new UsageError("--file and --url exclude each other: give one of them.");
  if (file !== undefined) return { file };
  return url === undefined ? askOrigin(format) : originOf(url);
}

const originOf = (text: string): ListOrigin => (/^https?:\/\//i.test(text) ? { url: text } : { file: text });

const askOrigin = (format: ListFormat | undefined): Promise<ListOrigin> =>
  ask("Path or URL of the list", "--file or --url", (answer) => {
    if (answer === "") return { wrong: "This is needed." };
    const value = originOf(answer);
    const wrong = "file" in value ? wrongFile(value.file, format) : null;
    return wrong === null ? { value } : { wrong };
  });

/** Why a file cannot be sent as a list; null = it can. */
export function wrongFile(path: string, format: ListFormat | undefined): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return `There is no file ${path}.`;
    if (!found.isFile()) return `${path} is no file.`;
    if (found.size === 0) return `The file ${path} is empty.`;
    accessSync(path, constants.R_OK);
    listFormatOf(path, format);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
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
    for (const line of rowErrors(list)) warn(screen, `Left out: ${line}`);
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
