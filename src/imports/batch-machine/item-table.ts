import type { BatchCounts, ItemState } from "../batches/batch-calls.ts";
import type { ListedVideo } from "../sources/source.ts";
import {
  columnsOf,
  ITEM_SCHEMA,
  type Item,
  type ItemChange,
  type ItemError,
  type ItemRow,
  OWED,
  toItem,
} from "./item.ts";
import { differencesOf, reasonsOf } from "./item-groups.ts";

/** A file that the source prepares for longer takes long. */
const LONG_MS = 15 * 60_000;

/** The items of a batch: up to 500,000 rows in the object's own SQLite, of which few are in memory at once. */
export class ItemTable {
  readonly #sql: SqlStorage;
  readonly #clock: () => number;

  constructor(sql: SqlStorage, clock: () => number) {
    this.#sql = sql;
    this.#clock = clock;
    for (const statement of ITEM_SCHEMA) sql.exec(statement);
  }

  /** @returns false when the batch has an item of this id */
  add(video: ListedVideo, status: ItemState, error: ItemError | null = null): boolean {
    const added = this.#sql.exec(
      `INSERT INTO items (source_id, status, video, error_code, error_message, updated) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING seq`,
      video.id,
      status,
      JSON.stringify(video),
      error?.code ?? null,
      error?.message ?? null,
      this.#clock(),
    );
    return added.toArray().length > 0;
  }

  get(seq: number): Item | null {
    return this.#items("WHERE seq = ?", seq)[0] ?? null;
  }

  bySourceId(sourceId: string): Item | null {
    return this.#items("WHERE source_id = ?", sourceId)[0] ?? null;
  }

  /** Items after a place, by place. */
  page({ status, after, limit }: { status: ItemState | null; after: number; limit: number }): Item[] {
    if (status === null) return this.#items("WHERE seq > ? ORDER BY seq LIMIT ?", after, limit);
    return this.#items("WHERE status = ? AND seq > ? ORDER BY seq LIMIT ?", status, after, limit);
  }

  /**
   * Pending items whose time has come, those that the source prepares first.
   *
   * @param fresh how many may be taken that were not asked for yet
   */
  takeDue(limit: number, fresh: number): Item[] {
    const nowMs = this.#clock();
    const isDue = (preparing: string) =>
      `WHERE status = 'pending' AND preparing ${preparing} AND due <= ? ORDER BY due, seq LIMIT ?`;
    const prepared = this.#items(isDue("IS NOT NULL"), nowMs, limit);
    const rest = Math.max(0, Math.min(limit - prepared.length, fresh));
    return [...prepared, ...this.#items(isDue("IS NULL"), nowMs, rest)];
  }

  /** How many items the source prepares a file for. Those that take long do not count, so that they keep no others out. */
  get preparing(): number {
    return this.#sql
      .exec<{ n: number }>(
        `SELECT count(*) AS n FROM items WHERE status = 'pending' AND preparing IS NOT NULL
         AND coalesce(json_extract(following, '$.preparingSinceMs'), 0) > ?`,
        this.#clock() - LONG_MS,
      )
      .one().n;
  }

  /** How many files the source was asked to prepare and has not, however long it takes. */
  get ordered(): number {
    return this.#sql
      .exec<{ n: number }>("SELECT count(*) AS n FROM items WHERE status = 'pending' AND preparing IS NOT NULL")
      .one().n;
  }

  /** When the next item of this state is due, epoch ms; Infinity = there is none. `prepared`: pending ones that the source prepares a file for. */
  nextDueMs(status: "pending" | "submitted" | "prepared"): number {
    const condition = status === "prepared" ? "status = 'pending' AND preparing IS NOT NULL" : `status = '${status}'`;
    const { due } = this.#sql
      .exec<{ due: number | null }>(`SELECT min(due) AS due FROM items WHERE ${condition}`)
      .one();
    return due ?? Infinity;
  }

  /** Submitted items that are due to be looked at. */
  submittedDue(limit: number): Item[] {
    return this.#items("WHERE status = 'submitted' AND due <= ? ORDER BY due LIMIT ?", this.#clock(), limit);
  }

  /** Items for which the source is to be switched back, and that need nothing of it any more. */
  releasable(limit: number): Item[] {
    const ended = "('ready', 'failed', 'skipped', 'cancelled', 'excluded')";
    return this.#items(`WHERE release = ? AND status IN ${ended} LIMIT ?`, OWED, limit);
  }

  get owesReleases(): boolean {
    return this.#sql.exec("SELECT 1 FROM items WHERE release = ? LIMIT 1", OWED).toArray().length > 0;
  }

  /** Changes one item. A change of its status is counted by a trigger. */
  set(seq: number, change: ItemChange): void {
    const columns = columnsOf(change);
    const names = Object.keys(columns);
    this.#sql.exec(
      `UPDATE items SET ${names.map((name) => `${name} = ?, `).join("")}updated = ? WHERE seq = ?`,
      ...Object.values(columns),
      this.#clock(),
      seq,
    );
  }

  /** Pending items end. What the source prepares for them stays known, because it is to be released. */
  cancelPending({ code, message }: ItemError): void {
    this.#sql.exec(
      "UPDATE items SET status = 'cancelled', error_code = ?, error_message = ?, updated = ? WHERE status = 'pending'",
      code,
      message,
      this.#clock(),
    );
  }

  /**
   * Items that have ended without a media begin anew. What the source has prepared stays known to `release` as a part of the video.
   *
   * @param sourceId null = every failed item; a named one may also have been skipped or left out
   */
  retry(sourceId: string | null): void {
    const [chosen, values] =
      sourceId === null
        ? ["status = 'failed'", []]
        : ["status IN ('failed', 'skipped', 'excluded') AND source_id = ?", [sourceId]];
    this.#sql.exec(
      `UPDATE items SET status = 'pending', due = 0, attempts = 0, renewals = 0, following = NULL, differences = NULL,
         error_code = NULL, error_message = NULL, updated = ?, preparing = NULL, video = CASE WHEN preparing IS NULL THEN video
           ELSE json_set(video, '$.ref', json_patch(json_extract(video, '$.ref'), preparing)) END
       WHERE ${chosen}`,
      this.#clock(),
      ...values,
    );
  }

  get counts(): BatchCounts {
    const rows = this.#sql.exec<{ status: ItemState; n: number }>("SELECT status, n FROM counts").toArray();
    const of = (...states: ItemState[]) =>
      rows.filter(({ status }) => states.includes(status)).reduce((sum, { n }) => sum + n, 0);
    return {
      total: of(...rows.map(({ status }) => status)),
      pending: of("pending", "submitting"),
      submitted: of("submitted"),
      ready: of("ready"),
      failed: of("failed", "cancelled"),
      skipped: of("skipped", "excluded"),
    };
  }

  reasons(limit: number) {
    return reasonsOf(this.#sql, limit);
  }

  differences(limit: number) {
    return differencesOf(this.#sql, limit);
  }

  #items(condition: string, ...values: SqlStorageValue[]): Item[] {
    return this.#sql
      .exec<ItemRow>(`SELECT * FROM items ${condition}`, ...values)
      .toArray()
      .map(toItem);
  }
}
