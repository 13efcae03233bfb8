import type { ModerationHalf } from "../../../ai/moderation/index.ts";
import type { InsightForMachine } from "../../assets/asset-calls.ts";
import type { AssetError } from "../../assets/asset-error.ts";

/** The pictures of a media that are taken for moderation, and the times of its scenes for chapters. */
export interface PendingPictures {
  jobId: string;
  /** The folder of their sheets. */
  rendition: string;
  /** The origin of the deployment, to which encoders call back. */
  publicUrl: string;
  /** How many there are; null = they are being taken. They are stored as the only answer of a key of their own. */
  count: number | null;
  /** Who has judged them; null = a provider is to be asked. */
  judge: { engine: string; model: string } | null;
}

/** A result of AI that is to be made. */
export interface PendingInsight extends InsightForMachine {
  /** When its next step is due, epoch ms. */
  dueMs: number;
  /** Starts of the step that has not ended; see `beginStep` of the asset's own work. */
  starts: number;
  /** Steps in a row that threw for internal reasons; absent = none did. */
  failures?: number;
  /** The text whose parts have been read; null = none yet. */
  read: { trackId: string; version: number } | null;
  /** The pictures that a result needs; null = the media has none, absent = nobody has looked. */
  pictures?: PendingPictures | null;
  /** Halves of moderation of `av` that cannot be judged. The other one counts for itself. */
  lost?: Partial<Record<ModerationHalf, AssetError>>;
  /** Open questions that were asked in vain, by their names: how often there was no answer, and how often one that could not be used. */
  retries?: Record<string, { tries: number; unusable: number }>;
  /** The model that has answered last. */
  model: string;
  costMicroUsd: number;
  tookMs: number;
}

/** The results of AI that one asset's machine makes, in its SQLite. An answer is stored when it has come, so a crash repeats one question. */
export class InsightStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS pending_insights (kind TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID`,
    );
    sql.exec(
      `CREATE TABLE IF NOT EXISTS insight_answers (kind TEXT, n INTEGER, answer TEXT NOT NULL, PRIMARY KEY (kind, n)) WITHOUT ROWID`,
    );
  }

  get(kind: string): PendingInsight | null {
    const [row] = this.#sql.exec<{ document: string }>("SELECT document FROM pending_insights WHERE kind = ?", kind);
    return row === undefined ? null : (JSON.parse(row.document) as PendingInsight);
  }

  all(): PendingInsight[] {
    return this.#sql
      .exec<{ document: string }>("SELECT document FROM pending_insights")
      .toArray()
      .map(({ document }) => JSON.parse(document) as PendingInsight);
  }

  put(insight: PendingInsight): void {
    this.#sql.exec(
      "INSERT INTO pending_insights (kind, document) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET document = excluded.document",
      insight.kind,
      JSON.stringify(insight),
    );
  }

  /** Without effect on one that has ended, or was asked for again. */
  change({ kind, requestId }: Pick<PendingInsight, "kind" | "requestId">, change: Partial<PendingInsight>): void {
    const known = this.get(kind);
    if (known?.requestId === requestId) this.put({ ...known, ...change });
  }

  remove(kind: string): void {
    this.#sql.exec("DELETE FROM pending_insights WHERE kind = ?", kind);
    this.forget(kind);
  }

  /** The answers so far, in order. */
  answers(kind: string): unknown[] {
    return this.#sql
      .exec<{ answer: string }>("SELECT answer FROM insight_answers WHERE kind = ? ORDER BY n", kind)
      .toArray()
      .map(({ answer }) => JSON.parse(answer) as unknown);
  }

  /** Numbers of the answers so far. */
  answered(kind: string): Set<number> {
    const rows = this.#sql.exec<{ n: number }>("SELECT n FROM insight_answers WHERE kind = ?", kind).toArray();
    return new Set(rows.map(({ n }) => n));
  }

  keep(kind: string, n: number, answer: unknown): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO insight_answers (kind, n, answer) VALUES (?, ?, ?)",
      kind,
      n,
      JSON.stringify(answer),
    );
  }

  /** Answers about another text. Those of a kind in parts have keys that begin with it and a space. */
  forget(kind: string): void {
    this.#sql.exec(
      "DELETE FROM insight_answers WHERE kind = ? OR substr(kind, 1, ?) = ?",
      kind,
      kind.length + 1,
      `${kind} `,
    );
  }

  clear(): void {
    this.#sql.exec("DELETE FROM pending_insights");
    this.#sql.exec("DELETE FROM insight_answers");
  }
}
