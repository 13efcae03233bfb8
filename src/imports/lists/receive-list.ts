import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import type { FieldProblem } from "../../platform/http/hints/field-problem.ts";
import { Problem } from "../../platform/http/problems.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import { importListIdsKey, importListPageKey } from "../../platform/storage/keys.ts";
import type { ListFormat } from "../sources/list.ts";
import { removeList } from "./delete-list.ts";
import { PageWriter } from "./page-writer.ts";
import { readCsv } from "./parse/read-csv.ts";
import { readJson } from "./parse/read-json.ts";
import { readNdjson } from "./parse/read-ndjson.ts";
import type { RawRow } from "./parse/raw-row.ts";
import { readRow } from "./parse/read-row.ts";
import { refuseFile } from "./parse/refuse-file.ts";
import { meaningOf } from "./parse/row-fields.ts";
import { completeList, type ImportList, insertList, LISTS_PER_WORKSPACE } from "./repository.ts";
import type { RowError } from "./tables.ts";

/** Rows of a list, with those that cannot be used. */
const MAX_LIST_ROWS = 500_000;
const LISTED_ERRORS = 100;
const LISTED_NAMES = 20;

export type ListEnv = Pick<Env, "DB" | "MEDIA">;

interface NewList {
  workspaceId: string;
  format: ListFormat;
  now: Date;
  /** Tests have smaller ones. */
  maxRows?: number;
}

export interface ReceivedList {
  list: ImportList;
  /** Columns and names that mean nothing, and were left out. */
  warnings: FieldProblem[];
}

/**
 * Stores a list, row by row, while it comes in: of the file, one page is in memory. Nothing is left of a list that is refused or breaks off, but what
 * `sweepLists` finds when even that fails.
 *
 * @throws {Problem} import_list_limit_reached; body_too_large; validation_failed for a file that is not of its format, has more than 500,000 rows, or none
 *   that can be used; what `texts` throws
 */
export async function receiveList(
  env: ListEnv,
  { workspaceId, format, now, maxRows = MAX_LIST_ROWS }: NewList,
  texts: AsyncIterable<string>,
): Promise<ReceivedList> {
  const listId = crypto.randomUUID();
  const key = { workspaceId, listId };
  const empty = { rows: 0, pages: 0, errorsTotal: 0, errors: [] };
  const list: ImportList = {
    id: listId,
    workspaceId,
    state: "receiving",
    format,
    ...empty,
    createdAt: now,
    usedAt: now,
  };
  if (!(await insertList(env.DB, list)))
    throw new Problem("import_list_limit_reached", `a workspace has at most ${LISTS_PER_WORKSPACE} lists`);
  try {
    const { facts, unknown } = await storeRows(env, key, await rowsOf(format, texts), maxRows);
    if (!(await completeList(openDatabase(env.DB), key, facts)))
      throw new Problem("unavailable", "the list took too long to arrive");
    log("import_list.received", { listId, workspaceId, format, rows: facts.rows, errors: facts.errorsTotal });
    return { list: { ...list, ...facts, state: "complete" }, warnings: warningsOf(unknown) };
  } catch (error) {
    await removeList(env, key).catch((cause: unknown) =>
      logError("import_list.not_removed", { listId, workspaceId, ...errorFields(cause) }),
    );
    throw error;
  }
}

async function rowsOf(format: ListFormat, texts: AsyncIterable<string>): Promise<AsyncIterable<RawRow>> {
  if (format === "json") return readJson(texts);
  if (format === "ndjson") return readNdjson(texts);
  const { header, rows } = await readCsv(texts);
  const hasUrl = header
    .map(meaningOf)
    .some((meaning) => meaning !== null && "field" in meaning && meaning.field === "url");
  if (hasUrl) return rows;
  throw refuseFile("has no column with the addresses of the files", "name that column `url` in the first line");
}

async function storeRows(
  env: ListEnv,
  { workspaceId, listId }: { workspaceId: string; listId: string },
  rows: AsyncIterable<RawRow>,
  maxRows: number,
) {
  const pages = new PageWriter(async (page, text) => {
    await env.MEDIA.put(importListPageKey(workspaceId, listId, page), text);
  });
  const errors: RowError[] = [];
  const unknown = new Set<string>();
  const onUnknown = (name: string) =>
    void (unknown.size < LISTED_NAMES && unknown.add(name.slice(0, 64).toWellFormed()));
  let total = 0;
  for await (const raw of rows) {
    total += 1;
    if (total > maxRows) throw refuseFile(`has more than ${maxRows} videos`, "send several lists");
    const read = readRow(raw, onUnknown);
    if ("item" in read) await pages.add(read.item);
    else if (errors.length < LISTED_ERRORS) errors.push({ row: total, message: read.message });
  }
  if (pages.rows === 0) throw nothingToUse(errors);
  await env.MEDIA.put(importListIdsKey(workspaceId, listId), await pages.end());
  return { facts: { rows: pages.rows, pages: pages.pages, errorsTotal: total - pages.rows, errors }, unknown };
}

function nothingToUse(errors: RowError[]): Problem {
  if (errors.length === 0) return refuseFile("has no videos", "must have one video or more");
  const fields = errors.slice(0, 10).map(({ row, message }) => ({ field: `row ${row}`, message }));
  return new Problem("validation_failed", "no row of the list can be used", { fields });
}

const warningsOf = (unknown: Set<string>): FieldProblem[] =>
  [...unknown].map((field) => ({ field, message: "is unknown and was left out; `metadata.…` keeps it as metadata" }));
