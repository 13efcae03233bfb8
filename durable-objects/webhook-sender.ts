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
  newHealth,
  nextProbeAtMs,
} from "../src/webhooks/endpoint-health.ts";
import { type DueDelivery, findDue, findPending, nextDueAt } from "../src/webhooks/sender/due.ts";
import { type Begun, SenderLedger } from "../src/webhooks/sender/ledger.ts";
import { interrupted, type Settled, settle } from "../src/webhooks/sender/outcome.ts";
import { disable, recordSettled } from "../src/webhooks/sender/record.ts";
import { findTarget, type Target } from "../src/webhooks/sender/target.ts";
import { signedHeaders } from "../src/webhooks/signature.ts";

/** Deliveries fetched at once, and how few are left when the next are fetched. */
const FETCHED_AT_ONCE = 120;
const FETCH_BELOW = 30;
/** Should this object die in the middle of its work, it comes back after so long: longer than an attempt may take. */
const WATCHDOG_MS = 20_000;
const AFTER_TROUBLE_MS = 5000;

/**
 * Sends the events of one webhook, and nothing else: a slow endpoint keeps nobody waiting but itself. D1 says what is due and is told how
 * it went; here is only what is under way. Native, not a machine: its state is a consequence of what it sees on the wire.
 */
export class WebhookSender extends DurableObject<Env> {
  readonly #ledger: SenderLedger;
  #health: EndpointHealth;
  #working: Promise<void> | null = null;
  #wasWoken = false;
  #ready: DueDelivery[] = [];
  #fetching: Promise<void> | null = null;
  #mayHaveMore = true;
  readonly #underWay = new Map<string, Promise<void>>();
  #unrecorded: Settled[] = [];
  #recording: { settled: Settled[]; done: Promise<void> } | null = null;
  /** D1 did not take what was to be recorded. */
  #trouble: Error | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
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
      const due = this.#ready.shift();
      if (due === undefined) break;
      this.#underWay.set(
        due.eventId,
        this.#attempt(target, due).finally(() => this.#underWay.delete(due.eventId)),
      );
    }
    if (this.#ready.length < FETCH_BELOW && this.#mayHaveMore) this.#fetchMore(target);
  }

  #fetchMore({ webhookId }: Target): void {
    this.#fetching ??= this.#fetch(webhookId).finally(() => {
      this.#fetching = null;
    });
  }

  async #fetch(webhookId: string): Promise<void> {
    this.#mayHaveMore = false;
    this.#wasWoken = false;
    // What is in hand when the question is asked: what is found may be sent or recorded by the time it is answered.
    const inRecord = [...this.#unrecorded, ...(this.#recording?.settled ?? [])].map(({ eventId }) => eventId);
    const inHand = new Set([...this.#ready.map(({ eventId }) => eventId), ...this.#underWay.keys(), ...inRecord]);
    const found = await findDue(this.env, webhookId, Date.now(), FETCHED_AT_ONCE + inHand.size);
    const fresh = found.filter(({ eventId }) => !inHand.has(eventId));
    this.#ready.push(...fresh);
    if (fresh.length >= FETCHED_AT_ONCE) this.#mayHaveMore = true;
  }

  async #attempt(target: Target, due: DueDelivery): Promise<void> {
    const begun: Begun = {
      eventId: due.eventId,
      number: due.attempts + 1,
      tries: due.tries + 1,
      startedAtMs: Date.now(),
    };
    this.#ledger.begin(begun); // written before the request leaves: the output gate sees to it
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
        retryAfterMs: outcome.retryAfterMs,
      }),
    );
    const settled = settle(due, begun, outcome, endedAtMs, Math.random());
    this.#ledger.end(settled);
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

  /** One write at a time; what ends meanwhile goes with the next. */
  #record(target: Target): void {
    if (this.#recording !== null || this.#unrecorded.length === 0) return;
    const settled = this.#unrecorded.splice(0);
    const done = recordSettled(this.env, target, settled, this.#health.failingSinceMs)
      .then(({ wake }) => {
        this.#ledger.forget(settled);
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
    const { settled, cutOff } = this.#ledger.leftovers();
    if (settled.length + cutOff.length === 0) return;
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
    const all = [...settled, ...broken];
    const { wake } = await recordSettled(this.env, target, all, this.#health.failingSinceMs);
    this.#ledger.forget(all);
    this.#unrecorded = [];
    void wake();
    log("deliveries.taken_up", { webhookId, ended: settled.length, cutOff: cutOff.length });
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
