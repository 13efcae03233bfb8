/** Manages a job from its acceptance until its outcome is reported. */
import type { ChildProcess } from "node:child_process";
import { CallbackRefused, callBack } from "../platform/callbacks.ts";
import { type Movement, type Outcome, runInChild } from "./child-process.ts";
import { causeOf } from "../platform/cause.ts";
import { JobStopped } from "../platform/errors.ts";
import { FailureRow } from "../platform/failure-row.ts";
import { type JobReport, reportOf, summaryOf } from "./job-report.ts";
import { limitsOf } from "./limits.ts";
import { errorFields } from "../../protocol/error-fields.ts";
import { log, logError, logWarning } from "../../protocol/log.ts";
import type { RenewedMessage } from "./messages.ts";
import { StoredSegments } from "./stored-segments.ts";
import {
  type Heartbeat,
  HEARTBEATS_PER_LEASE,
  HeartbeatAnswer,
  type Job,
  type JobFailure,
  type JobStatus,
  MIN_HEARTBEAT_MS,
  type PartialRendition,
} from "../../protocol/jobs.ts";

/** Heartbeat interval of running jobs, whose progress is displayed. */
const PROGRESS_MS = 1000;
const SHUTDOWN_REPORT_MS = 2_000;

/** One for each kind: a probe must not wait for hours of sound, nor sound for hours of captions. */
export type Lane = Job["kind"];

export class HeldJob {
  readonly job: Job;
  /** Aborted when the job is cancelled; nothing is reported then. */
  readonly #cancelled = new AbortController();
  #movement: Movement = { progress: 0, speed: 0 };
  readonly #stored = new StoredSegments();
  #heartbeatSent: Promise<void> = Promise.resolve();
  readonly #heartbeatFailures = new FailureRow("job.heartbeat_failed");
  #state: Heartbeat["state"] = "queued";
  #isOver = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #child: ChildProcess | undefined;

  constructor(job: Job) {
    this.job = job;
    this.#scheduleHeartbeat();
  }

  /** Jobs that delay the first picture have priority. */
  get isUrgent(): boolean {
    return this.job.kind === "probe" || (this.job.kind === "video" && this.job.firstSegment === 0);
  }

  get lane(): Lane {
    return this.job.kind;
  }

  get isCancelled(): boolean {
    return this.#cancelled.signal.aborted;
  }

  onCancelled(listener: () => void): void {
    this.#cancelled.signal.addEventListener("abort", listener, { once: true });
  }

  status(): JobStatus {
    return { jobId: this.job.jobId, kind: this.job.kind, ...this.#status() };
  }

  cancel(): void {
    this.#cancelled.abort();
    this.#close();
  }

  /** Runs the job in a child process and reports the outcome; never rejects. */
  async run(start: () => ChildProcess): Promise<void> {
    this.#state = "running";
    const { jobId, kind, attempt } = this.job;
    log("job.started", { jobId, kind, attempt });
    const startedMs = performance.now();
    const outcome = await this.#runIn(start);
    const seconds = Math.round(performance.now() - startedMs) / 1000;
    if (this.isCancelled || this.#isOver) return log("job.stopped", { jobId, kind, seconds });
    const write = outcome.type === "result" ? log : logWarning;
    write("job.ended", {
      jobId,
      kind,
      attempt,
      seconds,
      ...summaryOf(outcome),
    });
    await this.#report(outcome).catch((error: unknown) => this.#reportFailed(error));
    this.#close();
  }

  async #runIn(start: () => ChildProcess): Promise<Outcome> {
    const listener = {
      onMove: (movement: Movement) => (this.#movement = movement),
      // Report segments that viewers may be waiting for immediately, the others with the next heartbeat.
      onStored: (partial: PartialRendition) => this.#stored.add(partial) && void this.#sendHeartbeat(),
    };
    try {
      this.#child = start();
      return await runInChild(this.#child, this.job, limitsOf(this.job), listener, this.#cancelled.signal);
    } catch (error) {
      const unexpected = errorFields(error);
      return { type: "crashed", how: unexpected.error, unexpected };
    }
  }

  /** Reports the shutdown with one short attempt. If it fails, the job's lease expires. */
  async failForShutdown(): Promise<void> {
    if (this.isCancelled || this.#isOver) return;
    this.#close();
    this.#cancelled.abort();
    const failure: JobFailure = { code: "encoder_shutdown", message: "The encoder was shut down." };
    const signal = AbortSignal.timeout(SHUTDOWN_REPORT_MS);
    await callBack(this.job, {
      method: "POST",
      path: "fail",
      headers: JSON_TYPE,
      body: JSON.stringify(failure),
      signal,
    }).catch((error: unknown) =>
      logWarning("job.shutdown_not_reported", { jobId: this.job.jobId, reason: causeOf(error) }),
    );
  }

  async #report(outcome: Outcome): Promise<void> {
    const report = reportOf(outcome);
    if (report === null) return;
    try {
      await this.#send(report);
    } catch (error) {
      if (!(error instanceof CallbackRefused) || report.path === "fail") throw error;
      // The Worker may be of another release. Without a report, it would wait until the job's lease expires.
      this.#reportFailed(error);
      const message = "The service did not accept the encoder's result.";
      await this.#send({ path: "fail", body: { code: "encoder_failed", message } });
    }
  }

  async #send({ path, body }: JobReport): Promise<void> {
    const signal = this.#cancelled.signal;
    await callBack(this.job, { method: "POST", path, headers: JSON_TYPE, body: JSON.stringify(body), signal });
  }

  #reportFailed(error: unknown): void {
    const isExpected = error instanceof JobStopped || this.isCancelled;
    const { jobId, attempt } = this.job;
    if (!isExpected) logError("job.not_reported", { jobId, attempt, reason: causeOf(error) });
  }

  #scheduleHeartbeat(): void {
    const leaseShareMs = Math.max(MIN_HEARTBEAT_MS, this.job.leaseMs / HEARTBEATS_PER_LEASE);
    const everyMs = this.#state === "running" ? Math.min(PROGRESS_MS, leaseShareMs) : leaseShareMs;
    this.#heartbeat = setTimeout(
      () => void this.#sendHeartbeat().finally(() => this.#isOver || this.#scheduleHeartbeat()),
      everyMs,
    );
  }

  /** One at a time: each reports the segments stored since the one before. */
  #sendHeartbeat(): Promise<void> {
    this.#heartbeatSent = this.#heartbeatSent.then(() => (this.#isOver ? undefined : this.#sendOneHeartbeat()));
    return this.#heartbeatSent;
  }

  async #sendOneHeartbeat(): Promise<void> {
    const signal = AbortSignal.any([this.#cancelled.signal, AbortSignal.timeout(this.job.leaseMs)]);
    const partial = this.#stored.unreported();
    try {
      const answer = await callBack(this.job, {
        method: "POST",
        path: "heartbeat",
        headers: JSON_TYPE,
        body: JSON.stringify({ ...this.#status(), ...(partial ? { partial } : {}) } satisfies Heartbeat),
        signal,
      });
      this.#heartbeatFailures.succeeded();
      const wanted = HeartbeatAnswer.safeParse(JSON.parse(answer.body.toString("utf8")));
      if (wanted.success && !wanted.data.continue) this.cancel();
      if (wanted.success && wanted.data.renewed) this.#renew(wanted.data.renewed);
      if (partial !== undefined) this.#stored.markReported(partial);
    } catch (error) {
      if (error instanceof JobStopped) this.cancel();
      // The next heartbeat may succeed; otherwise the lease expires.
      else if (!this.#isOver)
        this.#heartbeatFailures.failed({ jobId: this.job.jobId, attempt: this.job.attempt, reason: causeOf(error) });
    }
  }

  #renew(renewed: { token: string; expiresAt: number }): void {
    Object.assign(this.job, renewed);
    if (this.#child?.connected) this.#child.send({ type: "renewed", ...renewed } satisfies RenewedMessage, () => {});
  }

  #status(): Heartbeat {
    return { attempt: this.job.attempt, state: this.#state, ...this.#movementOnly() };
  }

  #movementOnly(): Movement {
    return { progress: this.#movement.progress, speed: this.#movement.speed };
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#heartbeat);
  }
}

const JSON_TYPE = { "Content-Type": "application/json" };
