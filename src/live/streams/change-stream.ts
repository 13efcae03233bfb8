import { sql } from "drizzle-orm";
import { commit, type Database, openDatabase, type Statement } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { type Committed, commitWithEvents } from "../../events/webhooks/index.ts";
import type { StreamEvent } from "./stream-event.ts";
import { changeSeen, findStream, isStill, type StreamColumns, type StreamRecord } from "./repository.ts";

/** Others change the record too, its machine above all: then it is read again. */
const MOST_TRIES = 20;

export interface StreamChange {
  /** Of the stream's own row. */
  set?: StreamColumns;
  /** Of what belongs to it. Each of them has to do nothing where `isStill` is false. */
  statements?: Statement[];
  /** Told with the change, as one commit; of the record as it is afterwards. */
  event: StreamEvent | null;
}

/**
 * Changes a stream as it was seen, or sees again. Null when there is no such stream, or the change turns out to be none.
 *
 * @param plan what the record is to become, and how; asked again whenever somebody else was faster
 */
export async function changeStream<Plan extends StreamChange>(
  env: Env,
  { workspaceId, streamId }: { workspaceId: string | null; streamId: string },
  plan: (seen: StreamRecord, db: Database, still: ReturnType<typeof isStill>) => Plan | null,
): Promise<{ plan: Plan; committed: Committed } | null> {
  const db = openDatabase(env.DB);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = await findStream(env, workspaceId, streamId);
    const planned = seen && plan(seen, db, isStill(seen.stream));
    if (seen === null || planned === null) return null;
    // The stream's own row comes last: until then the others can see whether it is still the same.
    const statements = [...(planned.statements ?? []), changeSeen(db, seen.stream, planned.set ?? {})];
    if (planned.event === null) {
      const results = await commit(env.DB, statements);
      if (results.at(-1)!.meta.changes > 0) return { plan: planned, committed: { isNew: [], wake: async () => {} } };
      continue;
    }
    const committed = await commitWithEvents(env, statements, [{ event: planned.event, onlyIf: sql`changes() > 0` }]);
    if (committed.isNew[0]) return { plan: planned, committed };
  }
  throw new Error("the stream changes all the time");
}
