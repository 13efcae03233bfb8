/** The jobs that are held: so many run at once, urgent ones first, otherwise in the order they came. */
import type { ChildProcess } from "node:child_process";
import { startChild } from "./child-process.ts";
import { HeldJob } from "./held-job.ts";
import type { EncoderHealth, Job } from "./protocol.ts";

/** A probe is over before a child could start; the first chunk comes right behind it. */
const SPARES = 2;

export interface QueueSizes {
  capacity: number; // jobs run at once
  queue: number; // jobs waiting beyond that
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
    if (this.#running.size >= this.#sizes.capacity && this.#waiting.length >= this.#sizes.queue) return "full";
    held?.cancel(); // an earlier attempt: the lease was lost meanwhile
    const added = new HeldJob(job);
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

  #startNext(): void {
    while (!this.#isDraining && this.#running.size < this.#sizes.capacity) {
      const next = this.#waiting.find(({ isUrgent }) => isUrgent) ?? this.#waiting[0];
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
      this.#running.add(next);
      void next.run(this.#takeSpare()).finally(() => {
        this.#running.delete(next);
        this.#startNext();
      });
    }
  }

  #takeSpare(): ChildProcess {
    const child = this.#spares.shift() ?? startChild();
    this.#keepSpares();
    return child;
  }

  #keepSpares(): void {
    while (this.#spares.length < SPARES) {
      const child = startChild();
      this.#spares.push(child);
      const forget = () => (this.#spares = this.#spares.filter((spare) => spare !== child));
      child.once("exit", forget);
      child.once("error", forget);
    }
  }
}
