import type { Difference, ItemState } from "../batches/batch-calls.ts";
import type { ListedVideo } from "../sources/source.ts";

export interface ItemError {
  code: string;
  message: string;
}

/** Where an item is on its way. */
export interface Following {
  /** When the source was first asked to prepare the file, epoch ms. */
  preparingSinceMs?: number;
  /** Captions that the source gives as text are added once the media is ready. */
  owesTexts?: true;
  /** Since when the ready media cannot be looked at because of an error of this service, epoch ms. */
  failingSinceMs?: number;
  /** When the media was first seen ready, epoch ms. */
  readyAtMs?: number;
}

export interface Item {
  seq: number;
  status: ItemState;
  /** To submit it; later, to switch the source back. */
  attempts: number;
  /** Media that were given up because the address of their file had expired. */
  renewals: number;
  video: ListedVideo;
  /** State of the source's preparation of the file; null = it was not asked, or needs none. */
  preparing: Record<string, unknown> | null;
  following: Following;
  mediaId: string | null;
  playbackId: string | null;
  error: ItemError | null;
  differences: Difference[];
  /** Something at the source is still switched for this item. */
  owesRelease: boolean;
  updatedAtMs: number;
}

/** Absent = as it is. */
export interface ItemChange extends Partial<Omit<Item, "seq" | "updatedAtMs">> {
  /** When it is looked at next, epoch ms. */
  dueMs?: number;
}

export interface ItemRow extends Record<string, SqlStorageValue> {
  seq: number;
  status: string;
  attempts: number;
  renewals: number;
  video: string;
  preparing: string | null;
  following: string | null;
  media_id: string | null;
  playback_id: string | null;
  error_code: string | null;
  error_message: string | null;
  differences: string | null;
  release: number;
  updated: number;
}

export const OWED = 1;

const jsonOrNull = (value: object | null): string | null =>
  value === null || Object.keys(value).length === 0 ? null : JSON.stringify(value);

/** The columns of a change. */
export function columnsOf(change: ItemChange): Record<string, SqlStorageValue> {
  const { status, dueMs, attempts, renewals, video, preparing, following, error, differences, owesRelease } = change;
  return {
    ...(status !== undefined && { status }),
    ...(dueMs !== undefined && { due: Math.ceil(dueMs) }),
    ...(attempts !== undefined && { attempts }),
    ...(renewals !== undefined && { renewals }),
    ...(video !== undefined && { video: JSON.stringify(video) }),
    ...(preparing !== undefined && { preparing: preparing === null ? null : JSON.stringify(preparing) }),
    ...(following !== undefined && { following: jsonOrNull(following) }),
    ...(change.mediaId !== undefined && { media_id: change.mediaId }),
    ...(change.playbackId !== undefined && { playback_id: change.playbackId }),
    ...(error !== undefined && { error_code: error?.code ?? null, error_message: error?.message ?? null }),
    ...(differences !== undefined && { differences: jsonOrNull(differences) }),
    ...(owesRelease !== undefined && { release: owesRelease ? OWED : 0 }),
  };
}

export const toItem = (row: ItemRow): Item => ({
  seq: row.seq,
  status: row.status as ItemState,
  attempts: row.attempts,
  renewals: row.renewals,
  video: JSON.parse(row.video) as ListedVideo,
  preparing: row.preparing === null ? null : (JSON.parse(row.preparing) as Record<string, unknown>),
  following: row.following === null ? {} : (JSON.parse(row.following) as Following),
  mediaId: row.media_id,
  playbackId: row.playback_id,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
  differences: row.differences === null ? [] : (JSON.parse(row.differences) as Difference[]),
  owesRelease: row.release === OWED,
  updatedAtMs: row.updated,
});

/** Rows are never deleted, so `seq` has no gaps. Counts are kept by triggers: to count 500,000 rows at each look would read all of them. */
export const ITEM_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
    due INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, renewals INTEGER NOT NULL DEFAULT 0, video TEXT NOT NULL,
    preparing TEXT, following TEXT, media_id TEXT, playback_id TEXT, error_code TEXT, error_message TEXT, differences TEXT,
    release INTEGER NOT NULL DEFAULT 0, updated INTEGER NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS items_due ON items (status, due, seq)",
  "CREATE INDEX IF NOT EXISTS items_in_state ON items (status, seq)",
  "CREATE INDEX IF NOT EXISTS items_preparing ON items (due) WHERE status = 'pending' AND preparing IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS items_owing ON items (release) WHERE release = 1",
  "CREATE TABLE IF NOT EXISTS counts (status TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID",
  `CREATE TRIGGER IF NOT EXISTS count_added AFTER INSERT ON items BEGIN
    INSERT INTO counts (status, n) VALUES (NEW.status, 1) ON CONFLICT (status) DO UPDATE SET n = n + 1; END`,
  `CREATE TRIGGER IF NOT EXISTS count_moved AFTER UPDATE OF status ON items WHEN OLD.status <> NEW.status BEGIN
    UPDATE counts SET n = n - 1 WHERE status = OLD.status;
    INSERT INTO counts (status, n) VALUES (NEW.status, 1) ON CONFLICT (status) DO UPDATE SET n = n + 1; END`,
];
