import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { MAX_ROW_LENGTH, type RawRow, TOO_LONG } from "./raw-row.ts";
import { refuseFile } from "./refuse-file.ts";

/** Of the first line. A spreadsheet has fewer columns. */
const MAX_COLUMNS = 1000;
const SEPARATORS = [",", ";", "\t"] as const;

/** The names of the columns, and the rows as lists of cells. */
export interface Csv {
  header: string[];
  rows: AsyncIterable<RawRow>;
}

/**
 * A table as RFC 4180 has it. Cells are separated by commas, or by semicolons or tabs, which the first line shows. A cell that is empty, or missing
 * at the end of a row, says nothing.
 *
 * @throws {Problem} validation_failed without a first line, and from `rows` for quotes that never end and rows beyond MAX_ROW_LENGTH
 */
export async function readCsv(texts: AsyncIterable<string>): Promise<Csv> {
  const pieces = texts[Symbol.asyncIterator]();
  let head = "";
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    head += next.value;
    if (/[\r\n]/.test(head) || head.length > MAX_ROW_LENGTH) break;
  }
  const records = parseRecords(chain(head, pieces), separatorOf(head));
  const first = await records.next();
  if (first.done === true) throw refuseFile("is empty", "must have a first line with the names of its columns");
  const header = first.value.map((name) => name.trim());
  if (header.length > MAX_COLUMNS) throw refuseFile(`has more than ${MAX_COLUMNS} columns`, "leave some out");
  return { header, rows: rowsOf(header, records) };
}

async function* chain(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* rowsOf(header: string[], records: AsyncIterable<string[]>): AsyncGenerator<RawRow> {
  for await (const cells of records) {
    const isExtra = cells.slice(header.length).some((cell) => cell !== "");
    if (isExtra) yield { message: `has ${cells.length} cells, and the first line ${header.length}` };
    else
      yield {
        fields: header.flatMap((name, n) => (cells[n] === undefined || cells[n] === "" ? [] : [[name, cells[n]]])),
      };
  }
}

async function* parseRecords(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<string[]> {
  const parser = parse({
    delimiter,
    max_record_size: MAX_ROW_LENGTH,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  const source = Readable.from(texts);
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const record of parser) yield record as string[];
  } catch (error) {
    throw error instanceof CsvError ? refused(error) : error;
  } finally {
    source.destroy();
  }
}

/** The parser's own words may have parts of the file. */
function refused({ code, lines }: CsvError): Error {
  const at = typeof lines === "number" ? ` near line ${lines}` : "";
  if (code === "CSV_MAX_RECORD_SIZE")
    return refuseFile(`has a row${at} that ${TOO_LONG}`, "check that each quotation mark has its end");
  return refuseFile(`is not CSV${at}`, "check that each quotation mark has its end");
}

/** The one that is most often in the first line, outside quotation marks. */
function separatorOf(head: string): string {
  const [line = ""] = head.replace(/"[^"]*"/g, "").split(/[\r\n]/);
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}
