import type { SpeechPiece } from "../../../../protocol/speech.ts";
import type { TrackForMachine } from "../../assets/asset-calls.ts";
import type { EncodingPlan } from "../../encoding/plan.ts";
import type { CopyState } from "../../sources/copy-state.ts";

/** An added track in preparation, or one whose bytes are to be deleted. */
export interface PendingTrack extends TrackForMachine {
  /** `encoding`: its jobs decide. `hearing`: a provider is asked. `removing`: it has been deleted, and late writes may follow. */
  step: "fetching" | "encoding" | "hearing" | "removing" | "removed";
  /** When its next step is due, epoch ms. */
  dueMs: number;
  /** Starts of the step that has not ended; see `beginStep` of the asset's own work. */
  starts: number;
  /** Failures of its source since it was last read successfully. */
  sourceFailures: number;
  copy: CopyState | null;
  /** The files that are mixed into it, in order; they are copied one after another. Absent = none has begun. */
  imposedCopies?: CopyState[];
  /** For an audio track whose file has been probed. */
  plan: EncodingPlan | null;
  /** For a generated track whose sound is cut. */
  pieces?: SpeechPiece[];
  /** The same: who pays for what a provider hears. */
  workspaceId?: string;
  /** For a translation: the version of the text of which the stored answers are. */
  translatedVersion?: number;
  /** The same: questions in vain, and what was spent so far. */
  tried?: { tries: number; unusable: number };
  spent?: { costMicroUsd: number; tookMs: number; model: string };
  /** The origin of the deployment, to which encoders call back. */
  publicUrl: string;
}

/** The tracks in preparation of one asset, in the asset machine's own SQLite. A track leaves it when its preparation ends. */
export class TrackStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS pending_tracks (id TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID");
  }

  get(id: string): PendingTrack | null {
    const [row] = this.#sql.exec<{ document: string }>("SELECT document FROM pending_tracks WHERE id = ?", id);
    return row === undefined ? null : (JSON.parse(row.document) as PendingTrack);
  }

  all(): PendingTrack[] {
    return this.#sql
      .exec<{ document: string }>("SELECT document FROM pending_tracks")
      .toArray()
      .map(({ document }) => JSON.parse(document) as PendingTrack);
  }

  put(track: PendingTrack): void {
    this.#sql.exec(
      "INSERT INTO pending_tracks (id, document) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET document = excluded.document",
      track.id,
      JSON.stringify(track),
    );
  }

  /** Without effect on a track that has left. */
  change(id: string, change: Partial<PendingTrack>): void {
    const track = this.get(id);
    if (track !== null) this.put({ ...track, ...change });
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM pending_tracks WHERE id = ?", id);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM pending_tracks");
  }
}
