import { DurableObject } from "cloudflare:workers";
import type { Env } from "../src/env.ts";
import { eventBytes } from "../src/events/index.ts";
import { log } from "../src/http/log.ts";
import { attemptDelivery } from "../src/webhooks/attempt.ts";
import {
  admits,
  afterOutcome,
  disabledBecause,
  type EndpointHealth,
  isFailing,
  newHealth,
  nextProbeAtMs,
} from "../src/webhooks/endpoint-health.ts";
import { type DueDelivery, type DuePlace, findDue, findPending, nextDueAt } from "../src/webhooks/sender/due.ts";
import { type Begun, SenderLedger } from "../src/webhooks/sender/ledger.ts";
import { interrupted, type Settled, settle } from "../src/webhooks/sender/outcome.ts";
import { disable, recordSettled } from "../src/webhooks/sender/record.ts";
import { findTarget, type Target } from "../src/webhooks/sender/target.ts";
import { signedHeaders } from "../src/webhooks/signature.ts";

/** Deliveries fetched at once, and how few are left when the next are fetched. */
const FETCHED_AT_ONCE = 300;
const FETCH_BELOW = 50;
/** Attempts noted in the ledger by one write. After a crash as many may count as cut off that were only about to be made. */
const NOTED_AT_ONCE = 24;
/** While more is to be sent, outcomes are recorded when there are so many or the first one is so old. */
const RECORDED_AT_ONCE = 300;
const RECORD_AFTER_MS = 1000;
/** Should this object die in the middle of its work, it comes back after so long: longer than an attempt may take. */
const WATCHDOG_MS = 20_000;
const AFTER_TROUBLE_MS = 5000;

/**
 * Sends the events of one webhook, and nothing else: a slow endpoint keeps nobody waiting but itself. D1 says what is due and is told how
 * it went; here is only what is under way. Native, not a machine: its state is a consequence of what it sees on the wire.
 */
export class WebhookSender extends DurableObject<Env> {
  readonly #scale: number;
  readonly #ledger: SenderLedger;
  #health: EndpointHealth;
  #working: Promise<void> | null = null;
  #wasWoken = false;
  #ready: DueDelivery[] = [];
  /** The first of what is ready, noted in the ledger. */
  #noted: { due: DueDelivery; number: number; tries: number }[] = [];
  #place: DuePlace | null = null; // fetched up to here
  #fetching: Promise<void> | null = null;
  #mayHaveMore = true;
  readonly #underWay = new Map<string, Promise<void>>();
  #unrecorded: Settled[] = [];
  #recording: { settled: Settled[]; done: Promise<void> } | null = null;
  /** D1 did not take what was to be recorded. */
  #trouble: Error | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#scale = Number(env.WEBHOOK_RETRY_SCALE ?? "") || 1;
    this.#ledger = new SenderLedger(ctx.storage.sql);
    this.#health = ctx.storage.kv.get<EndpointHealth>("health") ?? newHealth();
  }

  /** Something may be due. Answers at once; the work goes on. */
  async wake(webhookId: string): Promise<void> {
    if (this.ctx.storage.kv.get("webhookId") !== webhookId) this.ctx.storage.kv.put("webhookId", webhookId);
    if (this.#working === null) void this.ctx.storage.setAlarm(Date.now() + WATCHDOG_MS);
    void this.#work(webhookId);
  }

  /** A webhook that its owner has switched on again starts with a clean record. */
  async revive(webhookId: string): Promise<void> {
    this.#setHealth(newHealth());
    await this.wake(webhookId);
  }

  override async alarm(): Promise<void> {
    const webhookId = this.ctx.storage.kv.get<string>("webhookId");
    if (webhookId !== undefined) await this.#work(webhookId);
  }

  #work(webhookId: string): Promise<void> {
    this.#wasWoken = true;
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
    let againAtMs: number | null = null;
    while (this.#wasWoken) {
      this.#wasWoken = false;
      const target = await findTarget(this.env, webhookId, Date.now());
      if (target === null) return await this.#forgetAll();
      if (!target.isOpen) return await this.ctx.storage.deleteAlarm();
      await this.#sendDue(target);
      if (await this.#disableIfHopeless(target)) return await this.ctx.storage.deleteAlarm();
      const dueAtMs = await nextDueAt(this.env, webhookId);
      againAtMs = dueAtMs === null ? null : Math.max(dueAtMs, nextProbeAtMs(this.#health) ?? 0, Date.now() + 1);
      if (againAtMs === null) await this.ctx.storage.deleteAlarm();
      else await this.ctx.storage.setAlarm(againAtMs);
    }
  }

  /** Until nothing more is due that may be sent now. */
  async #sendDue(target: Target): Promise<void> {
    this.#ready = [];
    this.#place = null;
    this.#mayHaveMore = true;
    for (;;) {
      if (this.#wasWoken) this.#mayHaveMore = true;
      const isHopeless = disabledBecause(this.#health, Date.now()) !== null;
      if (!isHopeless && this.#trouble === null) this.#start(target);
      this.#record(target);
      const underWay = [...this.#underWay.values()];
      if (this.#fetching !== null) underWay.push(this.#fetching);
      if (underWay.length === 0) break;
      await Promise.race(underWay);
    }
    // An endpoint that has begun to fail leaves some behind: they are not under way any more.
    if (this.#noted.length > 0) this.#ledger.forget(this.#noted.map(({ due }) => due.eventId));
    this.#noted = [];
    this.#trouble = null; // once more, and then not before the alarm
    while (this.#recording !== null || this.#unrecorded.length > 0) {
      this.#record(target);
      await this.#recording?.done;
      if (this.#trouble !== null) throw this.#trouble;
    }
  }

  /** As many attempts as the endpoint's health admits. */
  #start(target: Target): void {
    let free = admits(this.#health, { nowMs: Date.now(), underWay: this.#underWay.size });
    if (free <= 0) return;
    for (; free > 0; free -= 1) {
      if (this.#noted.length === 0) this.#note(free);
      const next = this.#noted.shift();
      if (next === undefined) break;
      const { eventId } = next.due;
      this.#underWay.set(
        eventId,
        this.#attempt(target, next).finally(() => this.#underWay.delete(eventId)),
      );
    }
    if (this.#ready.length < FETCH_BELOW && this.#mayHaveMore) this.#fetchMore(target);
  }

  /** A failing endpoint gets one attempt, so one is noted. */
  #note(free: number): void {
    const due = this.#ready.splice(0, isFailing(this.#health) ? free : NOTED_AT_ONCE);
    if (due.length === 0) return;
    this.#noted = due.map((one) => ({ due: one, number: one.attempts + 1, tries: one.tries + 1 }));
    const startedAtMs = Date.now();
    this.#ledger.begin(
      this.#noted.map(({ due: { eventId }, number, tries }) => ({ eventId, number, tries, startedAtMs })),
    );
  }

  #fetchMore({ webhookId }: Target): void {
    this.#fetching ??= this.#fetch(webhookId).finally(() => {
      this.#fetching = null;
    });
  }

  async #fetch(webhookId: string): Promise<void> {
    this.#mayHaveMore = false;
    this.#wasWoken = false;
    const found = await findDue(this.env, webhookId, { after: this.#place, nowMs: Date.now(), limit: FETCHED_AT_ONCE });
    this.#place = found.at(-1) ?? this.#place;
    // Somebody may have asked for a redelivery of what is being sent.
    this.#ready.push(...found.filter(({ eventId }) => !this.#isInHand(eventId)));
    if (found.length === FETCHED_AT_ONCE) this.#mayHaveMore = true;
  }

  #isInHand(eventId: string): boolean {
    const isIt = (one: { eventId: string }) => one.eventId === eventId;
    return (
      this.#underWay.has(eventId) ||
      this.#ready.some(isIt) ||
      this.#noted.some(({ due }) => isIt(due)) ||
      this.#unrecorded.some(isIt) ||
      this.#recording?.settled.some(isIt) === true
    );
  }

  async #attempt(
    target: Target,
    { due, number, tries }: { due: DueDelivery; number: number; tries: number },
  ): Promise<void> {
    const begun: Begun = { eventId: due.eventId, number, tries, startedAtMs: Date.now() };
    const body = eventBytes(due, due.naming);
    const headers = await signedHeaders({ eventId: due.eventId, body, atMs: begun.startedAtMs, keys: target.keys });
    const outcome = await attemptDelivery(this.env, { url: target.url, body, headers });
    const endedAtMs = Date.now();
    const ok = outcome.failure === null;
    this.#setHealth(
      afterOutcome(this.#health, {
        ok,
        gone: outcome.failure === "gone",
        startedAtMs: begun.startedAtMs,
        atMs: endedAtMs,
        random: Math.random(),
        scale: this.#scale,
        retryAfterMs: outcome.retryAfterMs,
      }),
    );
    const settled = settle(due, begun, outcome, endedAtMs, { random: Math.random(), scale: this.#scale });
    this.#unrecorded.push(settled);
    if (!ok)
      log("delivery.failed", {
        eventId: due.eventId,
        webhookId: target.webhookId,
        attempt: begun.number,
        failure: outcome.failure,
        status: outcome.status,
        next: settled.next,
      });
  }

  /** One write at a time, of many outcomes when there are many: the ledger keeps them until then. */
  #record(target: Target): void {
    const oldest = this.#unrecorded[0];
    if (this.#recording !== null || oldest === undefined) return;
    const isBusy = this.#underWay.size > 0 && this.#ready.length > 0;
    const isEnough = this.#unrecorded.length >= RECORDED_AT_ONCE || Date.now() - oldest.endedAtMs >= RECORD_AFTER_MS;
    if (isBusy && !isEnough) return;
    const settled = this.#unrecorded.splice(0);
    const done = recordSettled(this.env, target, settled, this.#health.failingSinceMs)
      .then(({ wake }) => {
        this.#ledger.forget(settled.map(({ eventId }) => eventId));
        void wake();
        const delivered = settled.filter(({ next }) => next === "delivered").length;
        log("deliveries.recorded", { webhookId: target.webhookId, delivered, failed: settled.length - delivered });
      })
      .catch((error: unknown) => {
        this.#trouble = error instanceof Error ? error : new Error(String(error));
        this.#unrecorded.unshift(...settled);
      })
      .finally(() => {
        this.#recording = null;
      });
    this.#recording = { settled, done };
  }

  /** What an earlier life, or an earlier failure to record, has left behind. */
  async #recordLeftovers(webhookId: string): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
    this.#trouble = null;
    const known = new Set(this.#unrecorded.map(({ eventId }) => eventId));
    const cutOff = this.#ledger.leftovers().filter(({ eventId }) => !known.has(eventId));
    if (this.#unrecorded.length + cutOff.length === 0) return;
    const target = await findTarget(this.env, webhookId, Date.now());
    if (target === null) return;
    const rows = await findPending(
      this.env,
      webhookId,
      cutOff.map(({ eventId }) => eventId),
    );
    const found = new Map(rows.map((row) => [row.eventId, row]));
    const broken = cutOff.map((begun) => {
      const row = found.get(begun.eventId);
      return interrupted(begun, row?.type ?? "", row?.firstTriedAtMs ?? null, Date.now());
    });
    const all = [...this.#unrecorded, ...broken];
    const { wake } = await recordSettled(this.env, target, all, this.#health.failingSinceMs);
    this.#unrecorded = [];
    this.#ledger.clear();
    void wake();
    log("deliveries.taken_up", { webhookId, cutOff: cutOff.length });
  }

  async #disableIfHopeless(target: Target): Promise<boolean> {
    const reason = disabledBecause(this.#health, Date.now());
    if (reason === null) return false;
    const { wake } = await disable(this.env, target, reason, this.#health.failingSinceMs, Date.now());
    log("webhook.disabled", { webhookId: target.webhookId, reason });
    void wake();
    return true;
  }

  /** The webhook is deleted. */
  async #forgetAll(): Promise<void> {
    this.#ledger.clear();
    for (const key of ["webhookId", "health"]) this.ctx.storage.kv.delete(key);
    await this.ctx.storage.deleteAlarm();
  }

  #setHealth(health: EndpointHealth): void {
    const isNew = JSON.stringify(health) !== JSON.stringify(this.#health);
    this.#health = health;
    if (isNew) this.ctx.storage.kv.put("health", health);
  }
}
