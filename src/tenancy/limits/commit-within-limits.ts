import { and, eq, gte, or, sql } from "drizzle-orm";
import { openDatabase, type Statement } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type Usage, usageOf } from "./repository.ts";
import { workspaceUsage } from "./tables.ts";

export type LimitsEnv = Pick<
  Env,
  "MAX_WORKSPACE_MEDIA" | "MAX_WORKSPACE_STREAMS" | "MAX_WORKSPACE_UPLOADS" | "MAX_WORKSPACE_BYTES"
>;

/** What a workspace may have. */
export const boundsOf = (env: LimitsEnv): Usage => ({
  mediaCount: Number(env.MAX_WORKSPACE_MEDIA),
  streamCount: Number(env.MAX_WORKSPACE_STREAMS),
  uploadCount: Number(env.MAX_WORKSPACE_UPLOADS),
  storedBytes: Number(env.MAX_WORKSPACE_BYTES),
});

/** What the bounds are of, in the order in which they are reported. An upload becomes a media. */
const NEEDED = {
  media: ["mediaCount", "storedBytes"],
  upload: ["mediaCount", "storedBytes", "uploadCount"],
  stream: ["streamCount"],
} satisfies Record<string, (keyof Usage)[]>;

/**
 * Commits a creation, if it exceeds no limit of the workspace. The check is a statement of the commit, so concurrent creations do not exceed a bound, and
 * a creation costs no query of its own for it.
 *
 * @param commit is given the statement, which comes before all others
 * @throws {Problem} media_limit_reached, storage_limit_reached, upload_limit_reached, stream_limit_reached, and what `commit` throws
 */
export async function commitWithinLimits<Result>(
  env: Env,
  workspaceId: string,
  kind: keyof typeof NEEDED,
  commit: (limitCheck: Statement) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase(env.DB);
  const bounds = boundsOf(env);
  const isFull = or(...NEEDED[kind].map((what) => gte(workspaceUsage[what], bounds[what])));
  // A workspace at one of its limits makes the statement violate NOT NULL, which ends the commit.
  const limitCheck = db
    .update(workspaceUsage)
    .set({ mediaCount: sql`NULL` })
    .where(and(eq(workspaceUsage.workspaceId, workspaceId), isFull));
  try {
    return await commit(limitCheck);
  } catch (error) {
    const usage = await usageOf(db, workspaceId);
    const full = NEEDED[kind].find((what) => usage[what] >= bounds[what]);
    throw full === undefined ? error : problemOf(full, bounds);
  }
}

function problemOf(full: keyof Usage, bounds: Usage): Problem {
  const most = bounds[full];
  switch (full) {
    case "mediaCount":
      return new Problem("media_limit_reached", `a workspace has at most ${most} media`);
    case "storedBytes":
      return new Problem("storage_limit_reached", `a workspace stores at most ${most} bytes`);
    case "uploadCount":
      return new Problem("upload_limit_reached", `a workspace has at most ${most} uploads that wait for their file`);
    case "streamCount":
      return new Problem("stream_limit_reached", `a workspace has at most ${most} live streams`);
  }
}
