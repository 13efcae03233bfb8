import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { changedWorkspaces } from "./changes.ts";
import { searchIndex } from "./search-calls.ts";

/** The oldest changes, whose workspaces are woken: each is at most one call. An index goes on by itself until it has taken all of its changes over. */
const CHANGES_LOOKED_AT = 500;

/** For the cron: wakes the search indexes of workspaces whose texts have changed. */
export async function wakeIndexes(env: Env): Promise<void> {
  const ids = await changedWorkspaces(openDatabase(env.DB), CHANGES_LOOKED_AT);
  await Promise.all(
    ids.map((workspaceId) =>
      searchIndex(env, workspaceId)
        .wake(workspaceId)
        .catch((error: unknown) => logWarning("search.wake_failed", { workspaceId, ...errorFields(error) })),
    ),
  );
}
