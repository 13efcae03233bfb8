import { DurableObject } from "cloudflare:workers";
import type { Env } from "../src/platform/env.ts";
import { eventBytes } from "../src/events/index.ts";
import { log } from "../src/platform/log.ts";
import { attemptDelivery } from "../src/events/webhooks/attempt.ts";
import {
  admits,
  afterOutcome,
  disabledBecause,
  type EndpointHealth,
  isFailing,
  newHealth,
  nextProbeAtMs,
} from "../src/events/webhooks/endpoint-health.ts";
import { Bell } from "../src/events/webhooks/sender/bell.ts";
import { type DueDelivery, findPending, nextDueAt } from "../src/events/webhooks/sender/due.ts";
import { SenderLedger } from "../src/events/webhooks/sender/ledger.ts";
import { interrupted, settle } from "../src/events/webhooks/sender/outcome.ts";
import { disable, recordSettled } from "../src/events/webhooks/sender/record.ts";
import { alarmAtMs } from "../src/events/webhooks/sender/retries.ts";
import { fitting, Recorder } from "../src/events/webhooks/sender/recorder.ts";
import { type Noted, Supply } from "../src/events/webhooks/sender/supply.ts";
import { openEventData } from "../src/events/webhooks/redact-event.ts";
import { findTarget, type Target } from "../src/events/webhooks/sender/target.ts";
import type { SenderCalls } from "../src/events/webhooks/sender/sender-calls.ts";
import { signedHeaders } from "../src/events/webhooks/signature.ts";

/**
 * Attempts of one stretch of work; then the alarm begins another. An invocation may make 10,000 subrequests, and an attempt makes up
 * to three of them: two to look up the name.
 */
const ATTEMPTS_AT_A_STRETCH = 1500;
/** Should this object die in the middle of its work, it comes back after so long: longer than an attempt may take. */
const WATCHDOG_MS = 20_000;
const AFTER_TROUBLE_MS = 5000;
/** A webhook is read again after this long, should nobody have told that it has changed. */
const TARGET_MS = 10_000;
/** Whoever lives for less may have forgotten in a restart what it has sent: it asks D1, whatever it is told. */
const TRUSTED_AFTER_MS = 5000;

/**
 * Sends the events of one webhook, and nothing else: a slow endpoint keeps nobody waiting but itself. D1 says what is due and is told how
 * it went; here is only what is under way. Native, not a machine: its state is a consequence of what it sees on the wire.
 */
export class WebhookSender extends DurableObject<Env> implements SenderCalls {
  readonly #scale: number;
  readonly #bornAtMs = Date.now();
  readonly #ledger: SenderLedger;
  readonly #recorder: Recorder;
  readonly #supply: Supply;
  readonly #bell = new Bell();
  readonly #underWay = new Map<string, Promise<void>>();
  #health: EndpointHealth;
  #knownHealth: string; // as it is stored
  #target: { is: Target; readAtMs: number } | null = null;
  #working: Promise<void> | null = null;
  #attemptsOfStretch = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#scale = Number(env.WEBHOOK_RETRY_SCALE ?? "") || 1;
    this.#ledger = new SenderLedger(ctx.storage.sql);
    this.#recorder = new Recorder(env, this.#ledger);
    this.#supply = new Supply(env, this.#ledger, (due) => this.#isTaken(due));
    this.#health = ctx.storage.kv.get<EndpointHealth>("health") ?? newHealth();
    this.#knownHealth = JSON.stringify(this.#health);
  }

  /**
   * Something may be due. Answers at once; the work goes on.
   *
   * @param announced deliveries that have just been committed: they need not be looked up
   */
  wake(webhookId: string, announced: DueDelivery[] = []): void {
    if (this.ctx.storage.kv.get("webhookId") !== webhookId) this.ctx.storage.kv.put("webhookId", webhookId);
    if (this.#working === null) void this.ctx.storage.setAlarm(Date.now() + WATCHDOG_MS);
    const isTrusted = announced.length > 0 && this.#target !== null && Date.now() - this.#bornAtMs > TRUSTED_AFTER_MS;
    if (isTrusted) this.#supply.offer(announced);
    else this.#supply.restart();
    void this.#work(webhookId);
  }

  /** The webhook has another URL, secret or state: nothing is sent any more as it was before. */
  changed(webhookId: string): void {
    this.#target = null;
    this.wake(webhookId);
  }

  /** The same, and what its endpoint did before does not count any more. */
  revive(webhookId: string): void {
    this.#setHealth(newHealth());
    this.changed(webhookId);
  }

  override async alarm(): Promise<void> {
    const webhookId = this.ctx.storage.kv.get<string>("webhookId");
    if (webhookId === undefined) return;
    this.#supply.restart();
    await this.#work(webhookId);
  }

  #work(webhookId: string): Promise<void> {
    this.#bell.ring();
    this.#working ??= this.#workUntilDone(webhookId)
      .catch(async (error: unknown) => {
        log("sender.troubled", { webhookId, error: String(error) });
        await this.ctx.storage.setAlarm(Date.now() + AFTER_TROUBLE_MS);
      })
      .finally(() => {
        this.#working = null;
      });
    return this.#working;
  }

  async #workUntilDone(webhookId: string): Promise<void> {
    await this.#recordLeftovers(webhookId);
    this.#attemptsOfStretch = 0;
    for (;;) {
      this.#bell.reset();
      const target = await this.#readTarget(webhookId);
      if (target === null) return await this.#forgetAll();
      if (!target.isOpen) return await this.#rest(null);
      await this.#sendDue(target);
      if (await this.#disableIfHopeless(target)) return await this.#rest(null);
      if (this.#attemptsOfStretch >= ATTEMPTS_AT_A_STRETCH) return await this.#rest(Date.now());
      if (this.#target === null) continue; // it has changed meanwhile
      const dueAtMs = await Promise.race([nextDueAt(this.env, webhookId), this.#bell.rung]);
      if (dueAtMs === undefined) continue; // woken
      return await this.#rest(dueAtMs);
    }
  }

  async #rest(dueAtMs: number | null): Promise<void> {
    this.#supply.giveBack();
    if (dueAtMs === null) return await this.ctx.storage.deleteAlarm();
    const nowMs = Date.now();
    const notBeforeMs = Math.max(nextProbeAtMs(this.#health) ?? 0, nowMs + 1);
    await this.ctx.storage.setAlarm(Math.max(alarmAtMs(dueAtMs, nowMs, this.#scale), notBeforeMs));
  }

  async #readTarget(webhookId: string): Promise<Target | null> {
    if (this.#target !== null && Date.now() - this.#target.readAtMs < TARGET_MS) return this.#target.is;
    const found = await findTarget(this.env, webhookId, Date.now());
    this.#target = found && { is: found, readAtMs: Date.now() };
    return found;
  }

  /** Until nothing more is due that may be sent now, and all of it is recorded. */
  async #sendDue(target: Target): Promise<void> {
    for (;;) {
      const mayGoOn = this.#target?.is === target && this.#recorder.trouble === null;
      const isFresh = Date.now() - (this.#target?.readAtMs ?? 0) < TARGET_MS;
      if (!isFresh) this.#target = null;
      const isTired = this.#attemptsOfStretch >= ATTEMPTS_AT_A_STRETCH;
      if (mayGoOn && isFresh && !isTired && disabledBecause(this.#health, Date.now()) === null) this.#start(target);
      this.#recorder.write(target, this.#underWay.size > 0 && !this.#supply.isEmpty, failingSince(this.#health));
      const underWay = [...this.#underWay.values(), this.#supply.fetching, this.#recorder.writing].filter(
        (one) => one !== null,
      );
      if (underWay.length === 0) break;
      await Promise.race([...underWay, this.#bell.rung]);
      this.#bell.reset();
    }
    if (this.#recorder.trouble !== null) throw this.#recorder.trouble;
    this.#supply.giveBack();
  }

  #isTaken(due: DueDelivery): boolean {
    const { eventId } = due;
    return this.#underWay.has(eventId) || this.#recorder.holds(eventId) || this.#recorder.isOutdated(due);
  }

  /** As many attempts as the endpoint's health admits. */
  #start(target: Target): void {
    const free = admits(this.#health, { nowMs: Date.now(), underWay: this.#underWay.size });
    for (let started = 0; started < free; started += 1) {
      const noted = this.#supply.next(isFailing(this.#health));
      if (noted === undefined) break;
      const { eventId } = noted.due;
      this.#attemptsOfStretch += 1;
      const attempt = this.#attempt(target, noted).finally(() => this.#underWay.delete(eventId));
      this.#underWay.set(eventId, attempt);
    }
    if (free > 0) this.#supply.refill(target.webhookId);
  }

  async #attempt(target: Target, { due, begun: { number, tries } }: Noted): Promise<void> {
    const begun = { eventId: due.eventId, number, tries, startedAtMs: Date.now() };
    const data = target.eventSecrets ? await openEventData(this.env, due) : null;
    const body = eventBytes(due, due.naming, data);
    const headers = await signedHeaders({ eventId: due.eventId, body, atMs: begun.startedAtMs, keys: target.keys });
    const outcome = await attemptDelivery(this.env, { url: target.url, body, headers });
    const endedAtMs = Date.now();
    const ok = outcome.failure === null;
    const { startedAtMs } = begun;
    this.#setHealth(
      afterOutcome(this.#health, {
        ok,
        gone: outcome.failure === "gone",
        startedAtMs,
        atMs: endedAtMs,
        retryAfterMs: outcome.retryAfterMs,
        random: Math.random(),
        scale: this.#scale,
      }),
    );
    const settled = settle(due, begun, outcome, endedAtMs, { random: Math.random(), scale: this.#scale });
    this.#recorder.add(settled);
    const { failure, status } = outcome;
    const ids = { eventId: due.eventId, webhookId: target.webhookId };
    if (!ok) log("delivery.failed", { ...ids, attempt: number, failure, status, next: settled.next });
  }

  /** What an earlier life, or an earlier failure to record, has left behind. */
  async #recordLeftovers(webhookId: string): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
    const ended = this.#recorder.takeBack();
    const known = new Set(ended.map(({ eventId }) => eventId));
    const cutOff = this.#ledger.leftovers().filter(({ eventId }) => !known.has(eventId));
    if (ended.length + cutOff.length === 0) return;
    const target = await findTarget(this.env, webhookId, Date.now());
    if (target === null) return;
    const ids = cutOff.map(({ eventId }) => eventId);
    const rows = new Map((await findPending(this.env, webhookId, ids)).map((row) => [row.eventId, row]));
    const broken = cutOff.map((begun) => {
      const row = rows.get(begun.eventId);
      return interrupted(begun, row?.type ?? "", row?.firstTriedAtMs ?? null, Date.now());
    });
    for (let rest = [...ended, ...broken]; rest.length > 0;) {
      const settled = fitting(rest);
      const { publish } = await recordSettled(this.env, target, settled, failingSince(this.#health));
      this.#ledger.forget(settled.map(({ eventId }) => eventId));
      rest = rest.slice(settled.length);
      void publish();
    }
    log("deliveries.taken_up", { webhookId, ended: ended.length, cutOff: cutOff.length });
  }

  async #disableIfHopeless(target: Target): Promise<boolean> {
    const reason = disabledBecause(this.#health, Date.now());
    if (reason === null) return false;
    const { wake } = await disable(this.env, target, reason, this.#health.failingSinceMs, Date.now());
    this.#target = null;
    log("webhook.disabled", { webhookId: target.webhookId, reason });
    void wake();
    return true;
  }

  /** The webhook is deleted. */
  async #forgetAll(): Promise<void> {
    this.#supply.giveBack();
    this.#ledger.clear();
    for (const key of ["webhookId", "health"]) this.ctx.storage.kv.delete(key);
    await this.ctx.storage.deleteAlarm();
  }

  #setHealth(health: EndpointHealth): void {
    const known = JSON.stringify(health);
    if (known !== this.#knownHealth) this.ctx.storage.kv.put("health", health);
    this.#knownHealth = known;
    this.#health = health;
  }
}

/** Since when an endpoint counts as failing: a failure or two do not make it so. */
const failingSince = (health: EndpointHealth): number | null => (isFailing(health) ? health.failingSinceMs : null);
