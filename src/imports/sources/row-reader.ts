import { type ListItem, type ListItemInput, toListItem } from "./list-item.ts";

/** Reads a list page by page, in its order. It holds no state. */
export interface RowReader {
  /**
   * @param cursor `next` of the page before; null = the first page
   * @throws {SourceFailure} source_unreadable when the list is gone
   */
  page(cursor: string | null): Promise<{ rows: ListItem[]; next: string | null }>;
  /** The first row with this id; null = there is none. @throws {SourceFailure} as `page` */
  find(id: string): Promise<ListItem | null>;
}

/** Rows that came with the batch itself. Checked by `ListOptions`. */
export function inlineRows(items: readonly ListItemInput[]): RowReader {
  const rows = items.map(toListItem).filter((row) => typeof row !== "string");
  return {
    page: async () => ({ rows, next: null }),
    find: async (id) => rows.find((row) => row.id === id) ?? null,
  };
}
