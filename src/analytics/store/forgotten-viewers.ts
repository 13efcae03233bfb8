import { sha256Hex } from "../../platform/crypto/hash.ts";
import type { ViewRecord } from "../views/view-record.ts";

/** Players that were offline send events up to seven days later, so no view that began before the request arrives after this. */
const KEEP_MS = 8 * 24 * 3600_000;

/** A viewer whose views are being deleted. */
export interface ForgottenViewer extends Record<string, SqlStorageValue> {
  viewer_id: string;
  /** Time of the request, epoch ms. Views that began later are kept. */
  at_ms: number;
}

/**
 * Viewers to forget, in a store's own SQLite: by their ids while views of them are left, and then as hashes, because a running view may not be in
 * the store yet.
 */
export class ForgottenViewers {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS viewers_to_forget (viewer_id TEXT PRIMARY KEY, at_ms REAL NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS forgotten_viewers (hash TEXT PRIMARY KEY, at_ms REAL NOT NULL)");
  }

  /** @param hash made by `hashOf` */
  add({ viewer_id, at_ms }: ForgottenViewer, hash: string): void {
    const update = "DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)";
    this.#sql.exec(`INSERT INTO viewers_to_forget VALUES (?, ?) ON CONFLICT (viewer_id) ${update}`, viewer_id, at_ms);
    this.#sql.exec(`INSERT INTO forgotten_viewers VALUES (?, ?) ON CONFLICT (hash) ${update}`, hash, at_ms);
  }

  /** A viewer with views that are not deleted yet; null = none. */
  next(): ForgottenViewer | null {
    const [next] = this.#sql.exec<ForgottenViewer>("SELECT * FROM viewers_to_forget ORDER BY at_ms LIMIT 1");
    return next ?? null;
  }

  /** Records that all views of the viewer are deleted, unless there was another request since. */
  done({ viewer_id, at_ms }: ForgottenViewer): void {
    this.#sql.exec("DELETE FROM viewers_to_forget WHERE viewer_id = ? AND at_ms = ?", viewer_id, at_ms);
  }

  /** Whether a view of one of these hashes began before its viewer was forgotten. */
  has(hashes: string[], viewStartMs: number): boolean {
    return hashes.some((hash) => {
      const select = "SELECT 1 FROM forgotten_viewers WHERE hash = ? AND at_ms >= ?";
      return this.#sql.exec(select, hash, viewStartMs).toArray().length > 0;
    });
  }

  /** All hashes that are kept. */
  hashes(): { hash: string; atMs: number }[] {
    const select = "SELECT hash, at_ms AS atMs FROM forgotten_viewers ORDER BY hash";
    return this.#sql.exec<{ hash: string; atMs: number }>(select).toArray();
  }

  get isEmpty(): boolean {
    return this.next() === null && this.#sql.exec("SELECT 1 FROM forgotten_viewers LIMIT 1").toArray().length === 0;
  }

  /** @param furtherMs how much longer hashes are kept while rows remain that cannot be deleted */
  deleteOld(nowMs: number, furtherMs = 0): void {
    this.#sql.exec("DELETE FROM forgotten_viewers WHERE at_ms < ?", nowMs - KEEP_MS - furtherMs);
  }
}

export const hashOf = (viewerId: string): Promise<string> => sha256Hex(viewerId);

/** Hashes of the ids by which a view names its viewer. */
export const viewerHashesOf = ({ viewerId, fpViewerId }: ViewRecord): Promise<string[]> =>
  Promise.all([viewerId, fpViewerId].filter((id) => id !== null).map(hashOf));
