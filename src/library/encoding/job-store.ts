import type { JobResult, PartialRendition, SegmentFacts } from "../../../protocol/jobs.ts";
import { type JobSpec, trackJobId } from "./job-spec.ts";

export interface JobRow {
  id: string;
  state: "queued" | "leased" | "done";
  /** The current attempt, or the next one while queued. Counts from 1. */
  attempt: number;
  leaseUntil: number;
  progress: number;
  speed: number;
  spec: JobSpec;
  result: JobResult | null;
  partial: PartialRendition | null;
}

export type JobOverview = Pick<JobRow, "state" | "progress" | "speed" | "spec">;
interface OverviewRow extends Record<string, SqlStorageValue> {
  state: string;
  progress: number;
  speed: number;
  spec: string;
}

interface StoredJob extends Record<string, SqlStorageValue> {
  id: string;
  state: string;
  attempt: number;
  lease_until: number;
  progress: number;
  speed: number;
  spec: string;
  result: string | null;
  partial: string | null;
}

/** The jobs of one asset in dispatch order, in the asset machine's own SQLite. */
export class JobStore {
  private readonly sql: SqlStorage;
  private readonly table: string;

  constructor(sql: SqlStorage, table: "jobs" | "track_jobs" = "jobs") {
    this.sql = sql;
    this.table = table;
    sql.exec(`CREATE TABLE IF NOT EXISTS ${table} (
      position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, state TEXT NOT NULL DEFAULT 'queued',
      attempt INTEGER NOT NULL DEFAULT 1, lease_until INTEGER NOT NULL DEFAULT 0, progress REAL NOT NULL DEFAULT 0,
      speed REAL NOT NULL DEFAULT 0, spec TEXT NOT NULL, result TEXT, partial TEXT)`);
  }

  add(id: string, spec: JobSpec): void {
    this.sql.exec(`INSERT OR IGNORE INTO ${this.table} (id, spec) VALUES (?, ?)`, id, JSON.stringify(spec));
  }

  get(id: string): JobRow | undefined {
    return this.select("WHERE id = ?", id)[0];
  }

  /** Every job without its result and partial rendition, which may be megabytes. */
  overview(): JobOverview[] {
    return this.sql
      .exec<OverviewRow>(`SELECT state, progress, speed, spec FROM ${this.table} ORDER BY position`)
      .toArray()
      .map(({ state, progress, speed, spec }) => ({
        state: state as JobRow["state"],
        progress,
        speed,
        spec: JSON.parse(spec) as JobSpec,
      }));
  }

  all(): JobRow[] {
    return this.select("ORDER BY position");
  }

  queued(limit: number): JobRow[] {
    return this.select("WHERE state = 'queued' ORDER BY position LIMIT ?", limit);
  }

  leased(): JobRow[] {
    return this.select("WHERE state = 'leased' ORDER BY position");
  }

  isComplete(): boolean {
    return (
      this.sql.exec<{ open: number }>(`SELECT count(*) AS open FROM ${this.table} WHERE state <> 'done'`).one().open ===
      0
    );
  }

  lease(id: string, untilMs: number): void {
    this.sql.exec(
      `UPDATE ${this.table} SET state = 'leased', lease_until = ? WHERE id = ? AND state <> 'done'`,
      untilMs,
      id,
    );
  }

  /** Renews the lease and records progress. A job whose lease lapsed is leased again. */
  renew(id: string, untilMs: number, progress: number, speed: number): void {
    this.sql.exec(
      `UPDATE ${this.table} SET state = 'leased', lease_until = ?, progress = max(progress, ?), speed = ? WHERE id = ? AND state <> 'done'`,
      untilMs,
      progress,
      speed,
      id,
    );
  }

  /** Appends reported segments. A gap or a repeated report changes nothing. @returns whether segments were added */
  addPartial(id: string, report: PartialRendition): boolean {
    const known = this.get(id)?.partial;
    if (report.firstIndex > (known?.segments.length ?? 0)) return false;
    const segments: SegmentFacts[] = [...(known?.segments.slice(0, report.firstIndex) ?? []), ...report.segments];
    if (known && segments.length <= known.segments.length) return false;
    this.sql.exec(
      `UPDATE ${this.table} SET partial = ? WHERE id = ? AND state <> 'done'`,
      JSON.stringify({ ...report, firstIndex: 0, segments }),
      id,
    );
    return true;
  }

  /** Queues the job again, as the next attempt unless `sameAttempt`. */
  requeue(id: string, sameAttempt = false): void {
    this.sql.exec(
      `UPDATE ${this.table} SET state = 'queued', progress = 0, speed = 0, attempt = attempt + ? WHERE id = ? AND state <> 'done'`,
      sameAttempt ? 0 : 1,
      id,
    );
  }

  /** @param speed media seconds per wall second over the whole job; 0 = unknown */
  done(id: string, result: JobResult, speed: number): void {
    this.sql.exec(
      `UPDATE ${this.table} SET state = 'done', progress = 1, speed = ?, partial = NULL, result = ? WHERE id = ?`,
      speed,
      JSON.stringify(result),
      id,
    );
  }

  /** The jobs of one added track. */
  removeOf(assetId: string, trackId: string): void {
    const prefix = trackJobId(assetId, trackId, "");
    this.sql.exec(`DELETE FROM ${this.table} WHERE substr(id, 1, ?) = ?`, prefix.length, prefix);
  }

  remove(id: string): void {
    this.sql.exec(`DELETE FROM ${this.table} WHERE id = ?`, id);
  }

  clear(): void {
    this.sql.exec(`DELETE FROM ${this.table}`);
  }

  private select(where: string, ...bindings: SqlStorageValue[]): JobRow[] {
    return this.sql
      .exec<StoredJob>(`SELECT * FROM ${this.table} ${where}`, ...bindings)
      .toArray()
      .map(readJob);
  }
}

const readJob = (row: StoredJob): JobRow => ({
  id: row.id,
  state: row.state as JobRow["state"],
  attempt: row.attempt,
  leaseUntil: row.lease_until,
  progress: row.progress,
  speed: row.speed,
  spec: JSON.parse(row.spec) as JobSpec,
  result: row.result === null ? null : (JSON.parse(row.result) as JobResult),
  partial: row.partial === null ? null : (JSON.parse(row.partial) as PartialRendition),
});
