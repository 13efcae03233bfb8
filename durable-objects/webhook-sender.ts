import { DurableObject } from "cloudflare:workers";
import { eventBytes } from "../src/events/index.ts";
import { attemptDelivery } from "../src/events/webhooks/attempt.ts";
import {
  admits,
  afterOutcome,
  disabledBecause,
  isFailing,
  newHealth,
  nextProbeAtMs,
} from "../src/events/webhooks/endpoint-health.ts";
import { openEventData } from "../src/events/webhooks/redact-event.ts";
import { AsyncEvent } from "../src/events/webhooks/sender/async-event.ts";
import { AttemptJournal } from "../src/events/webhooks/sender/attempt-journal.ts";
import { type ClaimedDelivery, DeliveryQueue } from "../src/events/webhooks/sender/delivery-queue.ts";
import { type DueDelivery, nextDueAt } from "../src/events/webhooks/sender/due.ts";
import { HealthStore } from "../src/events/webhooks/sender/health-store.ts";
import { settle } from "../src/events/webhooks/sender/outcome.ts";
import { disable } from "../src/events/webhooks/sender/record.ts";
import { recordUnfinished } from "../src/events/webhooks/sender/record-unfinished.ts";
import { Recorder } from "../src/events/webhooks/sender/recorder.ts";
import { alarmAtMs } from "../src/events/webhooks/sender/retries.ts";
import type { SenderCalls } from "../src/events/webhooks/sender/sender-calls.ts";
import type { Target } from "../src/events/webhooks/sender/target.ts";
import { TargetCache } from "../src/events/webhooks/sender/target-cache.ts";
import { signedHeaders } from "../src/events/webhooks/signature.ts";
import type { Env } from "../src/platform/env.ts";
import { logError, logWarning } from "../src/platform/log.ts";

/**
 * Attempts of one run; then the alarm starts another run. An invocation may make 10,000 subrequests, and an attempt makes up to three:
 * two of them resolve the name.
 */
const MAX_ATTEMPTS_PER_RUN = 1500;
/** The alarm during a run, in case the object dies in it. Longer than an attempt may take. */
const WATCHDOG_MS = 20_000;
const RESTART_AFTER_ERROR_MS = 5000;
/** A younger object may have lost its memory of recorded attempts in a restart, so it reads from D1 and ignores announced deliveries. */
const MIN_AGE_FOR_ANNOUNCED_MS = 5000;

/**
 * Sends the events of one webhook, so that a slow endpoint delays no other. D1 stores due deliveries and outcomes; this object holds the
 * attempts in flight. It is a native Durable Object rather than a machine, because its state depends on the endpoint's behaviour.
 */
export class WebhookSender extends DurableObject<Env> implements SenderCalls {
  readonly #retryScale: number;
  readonly #createdAtMs = Date.now();
  readonly #journal: AttemptJournal;
  readonly #recorder: Recorder;
  readonly #queue: DeliveryQueue;
  readonly #health: HealthStore;
  readonly #target: TargetCache;
  readonly #woken = new AsyncEvent();
  readonly #underWay = new Map<string, Promise<void>>(); // event → attempt
  #run: Promise<void> | null = null;
  #attemptsOfRun = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#retryScale = Number(env.WEBHOOK_RETRY_SCALE ?? "") || 1;
    this.#journal = new AttemptJournal(ctx.storage.sql);
    this.#recorder = new Recorder(env, this.#journal);
    this.#queue = new DeliveryQueue(env, this.#journal, (due) => this.#isTaken(due));
    this.#health = new HealthStore(ctx.storage.kv);
    this.#target = new TargetCache(env);
  }

  wake(webhookId: string, announced: DueDelivery[] = []): void {
    if (this.ctx.storage.kv.get("webhookId") !== webhookId) this.ctx.storage.kv.put("webhookId", webhookId);
    if (this.#run === null) void this.ctx.storage.setAlarm(Date.now() + WATCHDOG_MS);
    const isOldEnough = Date.now() - this.#createdAtMs > MIN_AGE_FOR_ANNOUNCED_MS;
    if (announced.length > 0 && !this.#target.isEmpty && isOldEnough) this.#queue.push(announced);
    else this.#queue.restart();
    void this.#start(webhookId);
  }

  reload(webhookId: string): void {
    this.#target.clear();
    this.wake(webhookId);
  }

  reset(webhookId: string): void {
    this.#health.set(newHealth());
    this.reload(webhookId);
  }

  override async alarm(): Promise<void> {
    const webhookId = this.ctx.storage.kv.get<string>("webhookId");
    if (webhookId === undefined) return;
    this.#queue.restart();
    await this.#start(webhookId);
  }

  /** Starts a run, or makes the current one check again for due deliveries. */
  #start(webhookId: string): Promise<void> {
    this.#woken.set();
    this.#run ??= this.#runUntilDone(webhookId)
      .catch(async (error: unknown) => {
        logError("sender.failed", { webhookId, error: String(error) });
        await this.ctx.storage.setAlarm(Date.now() + RESTART_AFTER_ERROR_MS);
      })
      .finally(() => {
        this.#run = null;
      });
    return this.#run;
  }

  async #runUntilDone(webhookId: string): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
    const { failingSinceMs } = this.#health;
    await recordUnfinished(this.env, webhookId, { journal: this.#journal, recorder: this.#recorder, failingSinceMs });
    this.#attemptsOfRun = 0;
    for (;;) {
      this.#woken.clear();
      const target = await this.#target.read(webhookId);
      if (target === null) return await this.#deleteAll();
      if (!target.isOpen) return await this.#rest(null);
      await this.#sendDue(target);
      if (await this.#disableIfHopeless(target)) return await this.#rest(null);
      if (this.#attemptsOfRun >= MAX_ATTEMPTS_PER_RUN) return await this.#rest(Date.now());
      if (this.#target.isEmpty) continue; // the webhook has changed
      const dueAtMs = await Promise.race([nextDueAt(this.env, webhookId), this.#woken.wait]);
      if (dueAtMs === undefined) continue; // woken
      return await this.#rest(dueAtMs);
    }
  }

  async #rest(dueAtMs: number | null): Promise<void> {
    this.#queue.release();
    if (dueAtMs === null) return await this.ctx.storage.deleteAlarm();
    const nowMs = Date.now();
    const notBeforeMs = Math.max(nextProbeAtMs(this.#health.current) ?? 0, nowMs + 1);
    await this.ctx.storage.setAlarm(Math.max(alarmAtMs(dueAtMs, nowMs, this.#retryScale), notBeforeMs));
  }

  /** Sends until nothing more may be sent now, and records every outcome. */
  async #sendDue(target: Target): Promise<void> {
    for (;;) {
      if (this.#maySend(target)) this.#startAttempts(target);
      const isBusy = this.#underWay.size > 0 && !this.#queue.isEmpty;
      this.#recorder.write(target, isBusy, this.#health.failingSinceMs);
      const pending = [...this.#underWay.values(), this.#queue.fetching, this.#recorder.writing].filter(
        (one) => one !== null,
      );
      if (pending.length === 0) break;
      await Promise.race([...pending, this.#woken.wait]);
      this.#woken.clear();
    }
    if (this.#recorder.error !== null) throw this.#recorder.error;
    this.#queue.release();
  }

  #maySend(target: Target): boolean {
    const isHopeless = disabledBecause(this.#health.current, Date.now()) !== null;
    const isCurrent = this.#target.isCurrent(target);
    return isCurrent && !isHopeless && this.#recorder.error === null && this.#attemptsOfRun < MAX_ATTEMPTS_PER_RUN;
  }

  #isTaken(due: DueDelivery): boolean {
    const { eventId } = due;
    return this.#underWay.has(eventId) || this.#recorder.has(eventId) || this.#recorder.isStale(due);
  }

  /** Starts as many attempts as the endpoint's health admits. */
  #startAttempts(target: Target): void {
    const health = this.#health.current;
    const free = admits(health, { nowMs: Date.now(), underWay: this.#underWay.size });
    for (let started = 0; started < free; started += 1) {
      const claimed = this.#queue.next(isFailing(health));
      if (claimed === undefined) break;
      const { eventId } = claimed.due;
      this.#attemptsOfRun += 1;
      const attempt = this.#attempt(target, claimed).finally(() => this.#underWay.delete(eventId));
      this.#underWay.set(eventId, attempt);
    }
    if (free > 0) this.#queue.refill(target.webhookId);
  }

  async #attempt(target: Target, { due, attempt: { number, tries } }: ClaimedDelivery): Promise<void> {
    const attempt = { eventId: due.eventId, number, tries, startedAtMs: Date.now() };
    const data = target.eventSecrets ? await openEventData(this.env, due) : null;
    const body = eventBytes(due, due.naming, data);
    const headers = await signedHeaders({ eventId: due.eventId, body, atMs: attempt.startedAtMs, keys: target.keys });
    const outcome = await attemptDelivery(this.env, { url: target.url, body, headers });
    const endedAtMs = Date.now();
    const { failure, status, retryAfterMs } = outcome;
    const [ok, gone] = [failure === null, failure === "gone"];
    const times = { startedAtMs: attempt.startedAtMs, atMs: endedAtMs, retryAfterMs };
    const chance = () => ({ random: Math.random(), scale: this.#retryScale });
    this.#health.set(afterOutcome(this.#health.current, { ok, gone, ...times, ...chance() }));
    const settled = settle(due, attempt, outcome, endedAtMs, chance());
    this.#recorder.add(settled);
    const ids = { eventId: due.eventId, webhookId: target.webhookId };
    if (!ok) logWarning("delivery.failed", { ...ids, attempt: number, failure, status, next: settled.next });
  }

  async #disableIfHopeless(target: Target): Promise<boolean> {
    const { current } = this.#health;
    const reason = disabledBecause(current, Date.now());
    if (reason === null) return false;
    const { wake } = await disable(this.env, target, reason, current.failingSinceMs, Date.now());
    this.#target.clear();
    logWarning("webhook.disabled", { webhookId: target.webhookId, reason });
    void wake();
    return true;
  }

  /** After the webhook was deleted. */
  async #deleteAll(): Promise<void> {
    this.#queue.release();
    this.#journal.clear();
    this.#health.delete();
    this.ctx.storage.kv.delete("webhookId");
    await this.ctx.storage.deleteAlarm();
  }
}
