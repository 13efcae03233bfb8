import type { Env } from "../../platform/env.ts";
import { type Remote, remoteObject } from "../../platform/machine/remote.ts";
import type { HitQuery, Hits } from "./find-hits.ts";

export interface FoundHits extends Hits {
  /** Captions of the workspace that are not indexed, because there are too many. */
  leftOut: number;
}

/** The RPC methods of a search index (`durable-objects/search-index.ts`). */
export interface SearchCalls {
  find(query: HitQuery): FoundHits;
  /** Takes the changes over that D1 lists of the workspace. Repeatable. */
  wake(workspaceId: string): void;
}

/** Returns a stub; sends nothing. */
export const searchIndex = (env: Env, workspaceId: string): Remote<SearchCalls> =>
  remoteObject(env.SEARCH_INDEX, workspaceId);
