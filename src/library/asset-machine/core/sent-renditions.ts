import { createHash } from "node:crypto";
import type { NewRendition } from "../../assets/projection.ts";

/** Remembers a digest of each rendition row sent to D1, so that an unchanged row is not sent again. */
export class SentRenditions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS sent_renditions (name TEXT PRIMARY KEY, digest TEXT NOT NULL)");
  }

  /** Part of the commit that enqueues the rows it returns. @returns the rows that are new or differ from those sent before */
  takeChanged(rows: NewRendition[]): NewRendition[] {
    return rows.filter((row) => {
      const digest = createHash("sha256").update(JSON.stringify(row)).digest("base64");
      const { rowsWritten } = this.#sql.exec(
        `INSERT INTO sent_renditions (name, digest) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest`,
        row.name,
        digest,
      );
      return rowsWritten > 0;
    });
  }

  clear(): void {
    this.#sql.exec("DELETE FROM sent_renditions");
  }
}
