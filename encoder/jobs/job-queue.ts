/**
 * Queues jobs in a lane for each kind. Video jobs use all processors, so only `capacity` of them run at once. One job of each other kind runs
 * alongside: a probe is short, and everything waits for it; a sound needs one core, and a captions job mostly waits for bytes of the source, but
 * both may take long. In each lane urgent jobs come first, then order of arrival.
 */
import type { ChildProcess } from "node:child_process";
import { startChild } from "./child-process.ts";
import { HeldJob, type Lane } from "./held-job.ts";
import { logWarning } from "../../protocol/log.ts";
import type { EncoderHealth, Job } from "../../protocol/jobs.ts";

/** Two, because a probe is followed by the first chunk sooner than another child could start. */
const SPARES = 2;
const LANES: Lane[] = ["probe", "audio", "video", "captions", "speech", "transcribe", "pictures"];

export interface QueueSizes {
  capacity: number; // concurrent video jobs
  queue: number; // queued jobs in addition to running ones
}

export type Acceptance = "accepted" | "known" | "full" | "draining";

export class JobQueue {
  readonly #sizes: QueueSizes;
  readonly #running = new Set<HeldJob>();
  #waiting: HeldJob[] = [];
  #isDraining = false;
  /** Children that have already loaded libav, which saves some tenths of a second before the first picture. */
  #spares: ChildProcess[] = [];

  constructor(sizes: QueueSizes) {
    this.#sizes = sizes;
  }

  warmUp(): void {
    this.#startSpares();
  }

  accept(job: Job): Acceptance {
    if (this.#isDraining) return "draining";
    const held = this.find(job.jobId);
    if (held !== undefined && held.job.attempt >= job.attempt) return "known";
    const added = new HeldJob(job);
    if (!this.#hasRoom(added.lane) && this.#waiting.length >= this.#sizes.queue) {
      added.cancel();
      return "full";
    }
    held?.cancel(); // an earlier attempt whose lease was lost
    added.onCancelled(() => (this.#waiting = this.#waiting.filter((waiting) => waiting !== added)));
    this.#waiting.push(added);
    this.#startNext();
    return "accepted";
  }

  find(jobId: string): HeldJob | undefined {
    return [...this.#running, ...this.#waiting].find(({ job, isCancelled }) => job.jobId === jobId && !isCancelled);
  }

  health(): EncoderHealth {
    return {
      status: this.#isDraining ? "draining" : "ok",
      running: this.#running.size,
      queued: this.#waiting.length,
      capacity: this.#sizes.capacity,
    };
  }

  /** Stops accepting jobs, stops all jobs and reports them to the Worker. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const spare of this.#spares.splice(0)) spare.kill("SIGKILL");
    await Promise.all([...this.#running, ...this.#waiting].map((held) => held.failForShutdown()));
  }

  #hasRoom(lane: Lane): boolean {
    const running = [...this.#running].filter((held) => held.lane === lane).length;
    return running < (lane === "video" ? this.#sizes.capacity : 1);
  }

  #startNext(): void {
    for (const lane of LANES) {
      while (!this.#isDraining && this.#hasRoom(lane)) {
        const waiting = this.#waiting.filter((held) => held.lane === lane);
        const next = waiting.find(({ isUrgent }) => isUrgent) ?? waiting[0];
        if (next === undefined) break;
        this.#start(next);
      }
    }
  }

  #start(held: HeldJob): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== held);
    this.#running.add(held);
    void held
      .run(() => this.#takeSpare())
      .finally(() => {
        this.#running.delete(held);
        this.#startNext();
      });
  }

  /** @throws {ProcessNotStarted} */
  #takeSpare(): ChildProcess {
    const child = this.#spares.shift() ?? startChild();
    this.#startSpares();
    return child;
  }

  #startSpares(): void {
    try {
      while (this.#spares.length < SPARES) {
        const child = startChild();
        this.#spares.push(child);
        child.once("exit", () => (this.#spares = this.#spares.filter((spare) => spare !== child)));
      }
    } catch (error) {
      logWarning("job.no_spare_process", { reason: (error as Error).message }); // the next job retries
    }
  }
}
