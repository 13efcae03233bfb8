import { cueId, PLACES } from "./cue-ids.ts";
import type { RunSql } from "./find-hits.ts";
import { searchedText } from "./searched-text.ts";

/** The key of a title among the documents of a media, and its place before the captions. */
export const TITLE = "";
const TITLE_START_MS = -1;

/** Marks belong to words: scripts of India write vowels as marks. */
const CATEGORIES = "L* N* Co M*";
const CREATE = [
  // Contentless, because the text that is shown is another one.
  `CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2 categories '${CATEGORIES}'")`,
  "CREATE TABLE IF NOT EXISTS cues (id INTEGER PRIMARY KEY, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL, text TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS documents (id INTEGER PRIMARY KEY, media_id TEXT NOT NULL, track_id TEXT NOT NULL, version INTEGER NOT NULL,
    media_created_ms INTEGER NOT NULL, cues INTEGER NOT NULL, left_out INTEGER NOT NULL, UNIQUE (media_id, track_id))`,
  "CREATE TABLE IF NOT EXISTS totals (one INTEGER PRIMARY KEY CHECK (one = 1), cues INTEGER NOT NULL, left_out INTEGER NOT NULL)",
  "INSERT OR IGNORE INTO totals (one, cues, left_out) VALUES (1, 0, 0)",
];

/** A text that is indexed as a whole: the captions of a track, or a title. */
export interface Document {
  mediaId: string;
  /** `TITLE` = the title of the media. */
  trackId: string;
  version: number;
  mediaCreatedMs: number;
}

export interface IndexedCue {
  startMs: number;
  endMs: number;
  text: string;
}

export interface Totals {
  cues: number;
  leftOut: number;
}

interface DocumentRow extends Record<string, SqlStorageValue> {
  id: number;
  trackId: string;
  version: number;
  cues: number;
  leftOut: number;
}

/** The texts of one workspace, in the object's own SQLite. */
export class CueIndex {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    storage.transactionSync(() => this.#create());
  }

  #create(): void {
    for (const statement of CREATE) this.#sql.exec(statement);
  }

  /** Of all documents. */
  get totals(): Totals {
    return this.#sql.exec<{ cues: number; leftOut: number }>("SELECT cues, left_out AS leftOut FROM totals").one();
  }

  /** The size of SQLite. */
  get bytes(): number {
    return this.#sql.databaseSize;
  }

  documentsOf(mediaId: string): DocumentRow[] {
    const select =
      "SELECT id, track_id AS trackId, version, cues, left_out AS leftOut FROM documents WHERE media_id = ?";
    return this.#sql.exec<DocumentRow>(select, mediaId).toArray();
  }

  /** The title as it is indexed; null = it is not. */
  titleOf(mediaId: string): string | null {
    const select = `SELECT text FROM cues WHERE id = (SELECT id * ${PLACES} FROM documents WHERE media_id = ? AND track_id = ?)`;
    return this.#sql.exec<{ text: string }>(select, mediaId, TITLE).toArray()[0]?.text ?? null;
  }

  putTitle(document: Omit<Document, "trackId" | "version">, title: string): void {
    const cue = { startMs: TITLE_START_MS, endMs: TITLE_START_MS, text: title };
    this.put({ ...document, trackId: TITLE, version: 0 }, [cue], 0);
  }

  /** Replaces a document by another text, as one commit. @param leftOut cues that are not among these */
  put({ mediaId, trackId, version, mediaCreatedMs }: Document, cues: readonly IndexedCue[], leftOut: number): void {
    this.#storage.transactionSync(() => {
      const replaced = this.documentsOf(mediaId).find((one) => one.trackId === trackId);
      if (replaced !== undefined) this.#remove(replaced);
      const insert =
        "INSERT INTO documents (id, media_id, track_id, version, media_created_ms, cues, left_out) VALUES (?, ?, ?, ?, ?, ?, ?)";
      const id = this.#nextDocument();
      this.#sql.exec(insert, id, mediaId, trackId, version, mediaCreatedMs, cues.length, leftOut);
      for (const [place, { startMs, endMs, text }] of cues.entries()) {
        const values = [cueId(id, place), startMs, endMs, text];
        this.#sql.exec("INSERT INTO cues (id, start_ms, end_ms, text) VALUES (?, ?, ?, ?)", ...values);
        this.#sql.exec("INSERT INTO words (rowid, text) VALUES (?, ?)", cueId(id, place), searchedText(text));
      }
      this.#count(cues.length, leftOut);
    });
  }

  /** Higher than all others, so that the highest ids are those that were indexed last. */
  #nextDocument(): number {
    return this.#sql.exec<{ id: number }>("SELECT coalesce(max(id), 0) + 1 AS id FROM documents").one().id;
  }

  /** Removes the documents of a media, except those of these tracks: one commit each. */
  removeExcept(mediaId: string, keptTrackIds: ReadonlySet<string>): void {
    for (const document of this.documentsOf(mediaId))
      if (!keptTrackIds.has(document.trackId)) this.#storage.transactionSync(() => this.#remove(document));
  }

  #remove({ id, cues, leftOut }: DocumentRow): void {
    const range = [cueId(id, 0), cueId(id, cues - 1)];
    this.#sql.exec("DELETE FROM words WHERE rowid BETWEEN ? AND ?", ...range);
    this.#sql.exec("DELETE FROM cues WHERE id BETWEEN ? AND ?", ...range);
    this.#sql.exec("DELETE FROM documents WHERE id = ?", id);
    this.#count(-cues, -leftOut);
  }

  #count(cues: number, leftOut: number): void {
    this.#sql.exec("UPDATE totals SET cues = cues + ?, left_out = left_out + ?", cues, leftOut);
  }

  /** Removes everything. */
  clear(): void {
    this.#storage.transactionSync(() => {
      for (const table of ["words", "cues", "documents", "totals"]) this.#sql.exec(`DROP TABLE IF EXISTS ${table}`);
      this.#create();
    });
  }

  /** For questions. */
  readonly run: RunSql = <Row extends Record<string, string | number | null>>(
    sql: string,
    ...values: (string | number)[]
  ) => this.#sql.exec<Row>(sql, ...values).toArray();
}
