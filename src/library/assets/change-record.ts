import { events, type NewEvent } from "../../events/index.ts";
import { type SQL, sql } from "drizzle-orm";
import { type Database, openDatabase, type Statement } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type Committed, commitWithEvents } from "../../events/webhooks/index.ts";
import { mediaEvent } from "./media-event.ts";
import { type Asset, type AssetRecord, changeAsset, findAsset, isStill } from "./repository.ts";

/** The asset machine changes the record too. After a conflict it is read again, with a growing, jittered pause. */
const MOST_TRIES = 40;
const MOST_PAUSE_MS = 100;

export interface RecordChange {
  /** Columns of the asset's own row. A column that callers may change is added to this list. */
  set?: Partial<Pick<Asset, "title" | "creatorId" | "metadata" | "mp4Support" | "sourceAccess">>;
  /** Statements on dependent rows. Each must have no effect where `still` is false. */
  statements?: Statement[];
  /** The playback IDs afterwards, when they change. */
  playbackIds?: AssetRecord["playbackIds"];
  /** The added tracks afterwards, when they change. */
  addedTracks?: AssetRecord["addedTracks"];
  /** The results of AI afterwards, when they change. */
  insights?: AssetRecord["insights"];
  /** Whether moderation holds it afterwards, when that changes. */
  isHeld?: boolean;
  /** Makes the event from the changed record; default `video.media.updated`. */
  event?: (record: AssetRecord, when: { id: string; atMs: number }) => NewEvent;
  /** Events before that one. @param when of one event, with an id of its own on each call */
  eventsBefore?: (record: AssetRecord, when: () => { id: string; atMs: number }) => NewEvent[];
}

const NOTHING: Committed = { isNew: [], wake: async () => {} };
const updated: RecordChange["event"] & {} = (record, when) => mediaEvent("video.media.updated", record, when);

/**
 * Changes an asset's record with optimistic concurrency, with an event.
 *
 * @param workspaceId null = any workspace, for internal callers
 * @param plan called again after a concurrent change; null = nothing to change
 * @returns null when there is no such asset; with nothing to change, the record as it is, and `change` is null
 */
export async function changeRecord<Change extends RecordChange | null>(
  env: Env,
  { workspaceId, assetId }: { workspaceId: string | null; assetId: string },
  now: Date,
  plan: (seen: AssetRecord, db: Database, still: SQL) => Change | Promise<Change>,
): Promise<{ record: AssetRecord; change: Change; committed: Committed } | null> {
  const db = openDatabase(env.DB);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = await findAsset(db, workspaceId, assetId);
    if (seen === null) return null;
    const change = await plan(seen, db, isStill(seen.asset));
    if (change === null) return { record: seen, change, committed: NOTHING };
    const { set = {}, statements = [], playbackIds = seen.playbackIds, addedTracks = seen.addedTracks } = change;
    const { insights = seen.insights, isHeld = seen.isHeld } = change;
    const record = {
      ...seen,
      playbackIds,
      addedTracks,
      insights,
      isHeld,
      asset: { ...seen.asset, ...set, updatedAt: now },
    };
    const when = () => ({ id: crypto.randomUUID(), atMs: now.getTime() });
    const all = [...(change.eventsBefore?.(record, when) ?? []), (change.event ?? updated)(record, when())];
    const isCommitted = sql`EXISTS (SELECT 1 FROM ${events} WHERE id = ${all[0]!.id})`;
    const committed = await commitWithEvents(
      env,
      // The asset's own row is changed last: the other statements check that it is unchanged.
      [...statements, changeAsset(db, seen.asset, { ...set, updatedAt: now })],
      all.map((event, position) => ({ event, onlyIf: position === 0 ? sql`changes() > 0` : isCommitted })),
    );
    if (committed.isNew[0]) return { record, change, committed };
    const pauseMs = Math.random() * Math.min(MOST_PAUSE_MS, 2 ** tries);
    await new Promise((done) => setTimeout(done, pauseMs));
  }
  throw new Problem("unavailable", "the media kept changing during the update");
}
