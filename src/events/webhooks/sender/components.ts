import type { Env } from "../../../platform/env.ts";
import { AsyncEvent } from "./async-event.ts";
import { AttemptJournal } from "./attempt-journal.ts";
import { AttemptsUnderWay } from "./attempts-under-way.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { HealthStore } from "./health-store.ts";
import { Recorder } from "./recorder.ts";
import { TargetCache } from "./target-cache.ts";

/** The components of the sender of one webhook. Its verbs are in `calls.ts` and in the files that it calls. */
export class SenderComponents {
  readonly env: Env;
  readonly storage: DurableObjectStorage;
  readonly createdAtMs = Date.now();
  /** Factor on the waits before retries and probes; tests use less than 1. */
  readonly retryScale: number;
  readonly journal: AttemptJournal;
  readonly recorder: Recorder;
  readonly queue: DeliveryQueue;
  readonly health: HealthStore;
  readonly target: TargetCache;
  readonly underWay = new AttemptsUnderWay();
  /** Set by every call of the sender. */
  readonly woken = new AsyncEvent();
  /** Ends when the current run does, successfully or not; null = none. */
  run: Promise<void> | null = null;

  constructor(env: Env, storage: DurableObjectStorage) {
    this.env = env;
    this.storage = storage;
    this.retryScale = Number(env.WEBHOOK_RETRY_SCALE ?? "") || 1;
    this.journal = new AttemptJournal(storage.sql);
    this.recorder = new Recorder(env, this.journal);
    this.queue = new DeliveryQueue(
      env,
      this.journal,
      (due) => this.underWay.has(due.eventId) || this.recorder.has(due.eventId) || this.recorder.isStale(due),
    );
    this.health = new HealthStore(storage.kv);
    this.target = new TargetCache(env);
  }

  /** The webhook that this object sends for; undefined before its first call and after the webhook was deleted. */
  get webhookId(): string | undefined {
    return this.storage.kv.get<string>("webhookId");
  }

  set webhookId(webhookId: string) {
    if (this.webhookId !== webhookId) this.storage.kv.put("webhookId", webhookId);
  }

  /** Deletes everything that the object has stored. */
  async deleteState(): Promise<void> {
    this.queue.release();
    this.journal.clear();
    this.health.delete();
    this.storage.kv.delete("webhookId");
    await this.storage.deleteAlarm();
  }
}
