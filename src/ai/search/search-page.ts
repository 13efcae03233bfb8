import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { writeCursor } from "../../platform/http/cursor.ts";
import { currentHits } from "./current-hits.ts";
import type { FoundHit, HitQuery } from "./find-hits.ts";
import { searchIndex } from "./search-calls.ts";

export interface SearchPage {
  hits: FoundHit[];
  nextCursor: string | null;
  isPartial: boolean;
  isIndexing: boolean;
  leftOut: number;
}

/** One page of a workspace's hits. It has fewer than `limit` before the last page only if as many others have just been deleted or replaced. */
export async function searchPage(
  env: Env,
  workspaceId: string,
  { match, after, limit }: HitQuery,
): Promise<SearchPage> {
  const found = await searchIndex(env, workspaceId).find({ match, after, limit: 2 * limit });
  const { current, isIndexing } = await currentHits(openDatabase(env.DB), workspaceId, found.hits);
  const hits = current.slice(0, limit);
  const last = current.length > limit ? hits.at(-1) : found.isMore ? found.hits.at(-1) : undefined;
  const { isPartial, leftOut } = found;
  return { hits, nextCursor: last === undefined ? null : writeCursor(last.key), isPartial, isIndexing, leftOut };
}
