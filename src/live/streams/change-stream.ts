import { sql } from "drizzle-orm";
import { commit, type Database, openDatabase, type Statement } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { type Committed, commitWithEvents } from "../../events/webhooks/index.ts";
import type { StreamEvent } from "./stream-event.ts";
import { changeSeen, findStream, isStill, type StreamColumns, type StreamRecord } from "./repository.ts";

/** Attempts. Each attempt reads the record again, because its machine and other requests change it too. */
const MOST_TRIES = 20;

export interface StreamChange {
  /** Columns of the stream's own row. */
  set?: StreamColumns;
  /** Statements on dependent rows. Each must have no effect where `isStill` is false. */
  statements?: Statement[];
  /** Committed together with the change. Contains the record after it. */
  event: StreamEvent | null;
}

/**
 * Changes a stream with optimistic concurrency. Null when there is no such stream, or the plan changes nothing.
 *
 * @param plan computes the new record and the change; called again after a concurrent change
 */
export async function changeStream<Plan extends StreamChange>(
  env: Env,
  { workspaceId, streamId }: { workspaceId: string | null; streamId: string },
  plan: (seen: StreamRecord, db: Database, still: ReturnType<typeof isStill>) => Plan | null | Promise<Plan | null>,
): Promise<{ plan: Plan; committed: Committed } | null> {
  const db = openDatabase(env.DB);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = await findStream(env, workspaceId, streamId);
    const planned = seen && (await plan(seen, db, isStill(seen.stream)));
    if (seen === null || planned === null) return null;
    // The stream's own row is changed last: the other statements check that it is unchanged.
    const statements = [...(planned.statements ?? []), changeSeen(db, seen.stream, planned.set ?? {})];
    if (planned.event === null) {
      const results = await commit(env.DB, statements);
      if (results.at(-1)!.meta.changes > 0) return { plan: planned, committed: { isNew: [], wake: async () => {} } };
      continue;
    }
    const committed = await commitWithEvents(env, statements, [{ event: planned.event, onlyIf: sql`changes() > 0` }]);
    if (committed.isNew[0]) return { plan: planned, committed };
  }
  throw new Error("too many concurrent changes of the stream");
}
