import type { ClipRange, JobResult, PartialRendition, SegmentFacts } from "../../../protocol/jobs.ts";
import type { EncodingPlan } from "./plan.ts";

/** A job without what belongs to one attempt of it (token, callback address): what the machine stores. */
export type JobSpec = { kind: "probe" } | { kind: "video"; chunk: number } | { kind: "audio"; track: number };

export interface JobRow {
  id: string;
  state: "queued" | "leased" | "done";
  /** Counts from 1; the attempt that is under way or comes next. */
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

/** The jobs of one asset in the order in which they are handed out. Lives in the asset machine's own SQLite. */
export class JobBook {
  private readonly sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS jobs (
      position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, state TEXT NOT NULL DEFAULT 'queued',
      attempt INTEGER NOT NULL DEFAULT 1, lease_until INTEGER NOT NULL DEFAULT 0, progress REAL NOT NULL DEFAULT 0,
      speed REAL NOT NULL DEFAULT 0, spec TEXT NOT NULL, result TEXT, partial TEXT)`);
  }

  add(id: string, spec: JobSpec): void {
    this.sql.exec("INSERT OR IGNORE INTO jobs (id, spec) VALUES (?, ?)", id, JSON.stringify(spec));
  }

  get(id: string): JobRow | undefined {
    return this.select("WHERE id = ?", id)[0];
  }

  /** All but what jobs have reported: that may be megabytes. */
  overview(): JobOverview[] {
    return this.sql
      .exec<OverviewRow>("SELECT state, progress, speed, spec FROM jobs ORDER BY position")
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
    return this.sql.exec<{ open: number }>("SELECT count(*) AS open FROM jobs WHERE state <> 'done'").one().open === 0;
  }

  lease(id: string, untilMs: number): void {
    this.sql.exec("UPDATE jobs SET state = 'leased', lease_until = ? WHERE id = ? AND state <> 'done'", untilMs, id);
  }

  /** Renews a lease and notes how far the job is; a lapsed one that nobody else holds comes back to life. */
  heard(id: string, untilMs: number, progress: number, speed: number): void {
    this.sql.exec(
      "UPDATE jobs SET state = 'leased', lease_until = ?, progress = max(progress, ?), speed = ? WHERE id = ? AND state <> 'done'",
      untilMs,
      progress,
      speed,
      id,
    );
  }

  /** Takes up segments that follow on from those known; others (told twice) change nothing. */
  addPartial(id: string, news: PartialRendition): boolean {
    const known = this.get(id)?.partial;
    if (news.firstIndex > (known?.segments.length ?? 0)) return false;
    const segments: SegmentFacts[] = [...(known?.segments.slice(0, news.firstIndex) ?? []), ...news.segments];
    if (known && segments.length <= known.segments.length) return false;
    this.sql.exec(
      "UPDATE jobs SET partial = ? WHERE id = ? AND state <> 'done'",
      JSON.stringify({ ...news, firstIndex: 0, segments }),
      id,
    );
    return true;
  }

  /** Back into the queue, as the next attempt unless `sameAttempt`. */
  requeue(id: string, sameAttempt = false): void {
    this.sql.exec(
      "UPDATE jobs SET state = 'queued', progress = 0, speed = 0, attempt = attempt + ? WHERE id = ? AND state <> 'done'",
      sameAttempt ? 0 : 1,
      id,
    );
  }

  /** @param speed media seconds per wall second over the whole job; 0 = not known */
  done(id: string, result: JobResult, speed: number): void {
    this.sql.exec(
      "UPDATE jobs SET state = 'done', progress = 1, speed = ?, partial = NULL, result = ? WHERE id = ?",
      speed,
      JSON.stringify(result),
      id,
    );
  }

  clear(): void {
    this.sql.exec("DELETE FROM jobs");
  }

  private select(where: string, ...bindings: SqlStorageValue[]): JobRow[] {
    return this.sql
      .exec<StoredJob>(`SELECT * FROM jobs ${where}`, ...bindings)
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

/**
 * Whether viewers may have fetched an object that `job` writes: the init once any job of its rendition has reported segments, and the
 * segments that this job has reported as stored. What a job that is under way has not reported is in no playlist.
 */
export function isAnnounced(
  { rendition, file }: { rendition: string; file: string },
  job: JobRow,
  all: JobRow[],
): boolean {
  if (file === "init.mp4") return all.some((other) => reportedRenditions(other).includes(rendition));
  return job.partial?.name === rendition && Number.parseInt(file, 10) < job.partial.segments.length;
}

function reportedRenditions({ result, partial }: JobRow): string[] {
  if (result?.kind === "video") return result.renditions.map(({ name }) => name);
  if (result?.kind === "audio") return [result.rendition.name];
  return partial === null ? [] : [partial.name];
}

/** `{assetId}.probe`, `{assetId}.video.3`, `{assetId}.audio.0`: the asset can be told from the id, another's cannot be forged into it. */
export function jobId(assetId: string, spec: JobSpec): string {
  if (spec.kind === "probe") return `${assetId}.probe`;
  return spec.kind === "video" ? `${assetId}.video.${spec.chunk}` : `${assetId}.audio.${spec.track}`;
}

/**
 * The first chunk, then the sound, then the rest: with these two a source that cannot be passed through already plays.
 */
export function jobsOf(plan: EncodingPlan): JobSpec[] {
  const chunks: JobSpec[] = (plan.video?.chunks ?? []).map((_, chunk) => ({ kind: "video", chunk }));
  const audio: JobSpec[] = plan.audio.map((_, track) => ({ kind: "audio", track }));
  return [...chunks.slice(0, 1), ...audio, ...chunks.slice(1)];
}

/** Everything a job says apart from who may call back: merged with an attempt's token it is the `Job` on the wire. */
export function jobBody(spec: JobSpec, plan: EncodingPlan | undefined, clip: ClipRange) {
  if (spec.kind === "probe") return { kind: "probe", clip } as const;
  if (plan === undefined) throw new Error("an encoding job without a plan");
  if (spec.kind === "audio") {
    const planned = plan.audio[spec.track];
    if (planned === undefined) throw new Error(`no audio track ${spec.track} in the plan`);
    return {
      kind: "audio",
      clip,
      ...planned,
      segmentSeconds: plan.audioSegmentSeconds,
      durationMs: plan.durationMs,
    } as const;
  }
  const chunk = plan.video?.chunks[spec.chunk];
  if (plan.video === null || chunk === undefined) throw new Error(`no chunk ${spec.chunk} in the plan`);
  return {
    kind: "video",
    clip,
    video: plan.video.source,
    holdsLastPicture: plan.video.holdsLastPicture,
    grid: plan.video.grid,
    rungs: plan.video.rungs,
    ...chunk,
  } as const;
}

/** What a job may write: its renditions, and which segments of them. */
export function jobScope(
  spec: JobSpec,
  plan: EncodingPlan | undefined,
): { renditions: string[]; segments: [number, number] } {
  if (spec.kind === "probe" || plan === undefined) return { renditions: [], segments: [0, 0] };
  if (spec.kind === "audio") return { renditions: [plan.audio[spec.track]?.rendition ?? ""], segments: [0, 1_000_000] };
  const video = plan.video;
  const chunk = video?.chunks[spec.chunk];
  if (!video || !chunk) return { renditions: [], segments: [0, 0] };
  const count = Math.ceil(chunk.frameCount / video.grid.framesPerSegment);
  return {
    renditions: video.rungs.map((rung) => rung.name),
    segments: [chunk.firstSegment, chunk.firstSegment + count],
  };
}
