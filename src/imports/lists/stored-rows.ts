import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { importListIdsKey, importListPageKey } from "../../platform/storage/keys.ts";
import type { ListItem } from "../sources/list-item.ts";
import type { RowReader } from "../sources/row-reader.ts";
import { SourceFailure } from "../sources/source.ts";
import { pagesOf, rangeOf } from "./id-index.ts";
import { findList, type ListKey, touchList } from "./repository.ts";

/**
 * The reader of a stored list, which keeps it from the sweep for another 30 days.
 *
 * @returns null when the workspace has no such list
 */
export async function openStoredRows(
  env: Pick<Env, "DB" | "MEDIA">,
  key: ListKey,
  now: Date,
): Promise<RowReader | null> {
  const db = openDatabase(env.DB);
  const list = await findList(db, key);
  if (list === null) return null;
  await touchList(db, key, now);
  return readerOf(env.MEDIA, key, list);
}

function readerOf(
  bucket: R2Bucket,
  { workspaceId, listId }: ListKey,
  { rows, pages }: { rows: number; pages: number },
): RowReader {
  const read = async (page: number) => rowsIn(await orGone(bucket.get(importListPageKey(workspaceId, listId, page))));
  return {
    async page(cursor) {
      const page = Number(cursor ?? 0);
      return { rows: await read(page), next: page + 1 < pages ? String(page + 1) : null };
    },
    async find(id) {
      const range = rangeOf(id, rows);
      const index = await orGone(bucket.get(importListIdsKey(workspaceId, listId), { range }));
      for (const page of pagesOf(id, await index.arrayBuffer())) {
        const found = (await read(page)).find((row) => row.id === id);
        if (found !== undefined) return found;
      }
      return null;
    },
  };
}

/** @throws {SourceFailure} source_unreadable */
async function orGone(object: Promise<R2ObjectBody | null>): Promise<R2ObjectBody> {
  const found = await object;
  if (found === null) throw new SourceFailure("source_unreadable", "The list has been deleted.");
  return found;
}

/** Rows as `PageWriter` wrote them. */
async function rowsIn(object: R2ObjectBody): Promise<ListItem[]> {
  const text = await object.text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ListItem);
}
