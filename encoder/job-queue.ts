/**
 * The jobs that are held, in two lanes: pictures fill the processors, so only so many run at once; a probe or a sound needs one
 * core for moments and runs beside them. In each lane urgent jobs go first, otherwise the order in which they came holds.
 */
import type { ChildProcess } from "node:child_process";
import { startChild } from "./child-process.ts";
import { HeldJob } from "./held-job.ts";
import { logWarning } from "../protocol/log.ts";
import type { EncoderHealth, Job } from "../protocol/jobs.ts";

/** A probe is over before a child could start; the first chunk comes right behind it. */
const SPARES = 2;
const LIGHT_JOBS_AT_ONCE = 1;

export interface QueueSizes {
  capacity: number; // video jobs run at once
  queue: number; // jobs waiting beyond those that run
}

export type Acceptance = "accepted" | "known" | "full" | "draining";

export class JobQueue {
  readonly #sizes: QueueSizes;
  readonly #running = new Set<HeldJob>();
  #waiting: HeldJob[] = [];
  #isDraining = false;
  /** Children that have loaded libav already: it saves some tenths of a second before a first picture. */
  #spares: ChildProcess[] = [];

  constructor(sizes: QueueSizes) {
    this.#sizes = sizes;
  }

  warmUp(): void {
    this.#keepSpares();
  }

  accept(job: Job): Acceptance {
    if (this.#isDraining) return "draining";
    const held = this.find(job.jobId);
    if (held !== undefined && held.job.attempt >= job.attempt) return "known";
    const added = new HeldJob(job);
    if (!this.#hasPlace(added.isLight) && this.#waiting.length >= this.#sizes.queue) {
      added.cancel();
      return "full";
    }
    held?.cancel(); // an earlier attempt: the lease was lost meanwhile
    added.onUnwanted(() => (this.#waiting = this.#waiting.filter((waiting) => waiting !== added)));
    this.#waiting.push(added);
    this.#startNext();
    return "accepted";
  }

  find(jobId: string): HeldJob | undefined {
    return [...this.#running, ...this.#waiting].find(({ job, isUnwanted }) => job.jobId === jobId && !isUnwanted);
  }

  health(): EncoderHealth {
    return {
      status: this.#isDraining ? "draining" : "ok",
      running: this.#running.size,
      queued: this.#waiting.length,
      capacity: this.#sizes.capacity,
    };
  }

  /** Takes nothing more, stops everything and tells the Worker. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const spare of this.#spares.splice(0)) spare.kill("SIGKILL");
    await Promise.all([...this.#running, ...this.#waiting].map((held) => held.failForShutdown()));
  }

  #hasPlace(isLight: boolean): boolean {
    const running = [...this.#running].filter((held) => held.isLight === isLight).length;
    return running < (isLight ? LIGHT_JOBS_AT_ONCE : this.#sizes.capacity);
  }

  #startNext(): void {
    for (const isLight of [true, false]) {
      while (!this.#isDraining && this.#hasPlace(isLight)) {
        const lane = this.#waiting.filter((held) => held.isLight === isLight);
        const next = lane.find(({ isUrgent }) => isUrgent) ?? lane[0];
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
    this.#keepSpares();
    return child;
  }

  #keepSpares(): void {
    try {
      while (this.#spares.length < SPARES) {
        const child = startChild();
        this.#spares.push(child);
        child.once("exit", () => (this.#spares = this.#spares.filter((spare) => spare !== child)));
      }
    } catch (error) {
      logWarning("job.no_spare_process", { reason: (error as Error).message }); // the next job tries again
    }
  }
}
