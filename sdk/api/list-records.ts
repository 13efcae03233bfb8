import type { ApiCalls, Arguments, Item, ListPath } from "./types.ts";

interface Page {
  data: unknown[];
  pagination: { nextCursor: string | null } | { currentOffset: number; offsetCount: number };
}

interface ListOptions {
  params?: { query?: Record<string, unknown> };
}

/**
 * The records of a list, page by page, for `for await`. Lists that are paged by number may repeat or skip records that are created or deleted
 * meanwhile.
 *
 * @throws {ApiError} {ConnectionError}
 */
export async function* listRecords<Path extends ListPath>(
  { get }: ApiCalls,
  path: Path,
  ...[options]: Arguments<Path, "get">
): AsyncGenerator<Item<Path>> {
  const given = (options ?? {}) as ListOptions;
  const page = get as unknown as (path: string, options: ListOptions) => Promise<Page>;
  let position: Record<string, unknown> = {};
  for (;;) {
    const query = { ...given.params?.query, ...position };
    const { data, pagination } = await page(path, { ...given, params: { ...given.params, query } });
    yield* data as Item<Path>[];
    if ("nextCursor" in pagination) {
      if (pagination.nextCursor === null) return;
      position = { cursor: pagination.nextCursor };
    } else {
      if (pagination.currentOffset >= pagination.offsetCount) return;
      position = { offset: pagination.currentOffset + 1 };
    }
  }
}
