import type { Env } from "../../../platform/env.ts";
import { findTarget, type Target } from "../attempt/target.ts";

/** Covers a lost `reload` call: a changed webhook is read again after this time at the latest. */
const TTL_MS = 10_000;

/** The webhook as it was last read from D1. */
export class TargetCache {
  readonly #env: Env;
  #cached: { target: Target; readAtMs: number } | null = null;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Null when the webhook is deleted. */
  async read(webhookId: string): Promise<Target | null> {
    if (this.#cached !== null && !this.#isExpired()) return this.#cached.target;
    const target = await findTarget(this.#env, webhookId, Date.now());
    this.#cached = target && { target, readAtMs: Date.now() };
    return target;
  }

  clear(): void {
    this.#cached = null;
  }

  get isEmpty(): boolean {
    return this.#cached === null;
  }

  /** Whether attempts may still be started with this target: it has neither been cleared nor expired. */
  isCurrent(target: Target): boolean {
    if (this.#cached !== null && this.#isExpired()) this.#cached = null;
    return this.#cached?.target === target;
  }

  #isExpired(): boolean {
    return Date.now() - this.#cached!.readAtMs >= TTL_MS;
  }
}
