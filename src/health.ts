import { sql } from "drizzle-orm";
import { openDatabase } from "./platform/database.ts";
import { encoderClient } from "./library/encoding/encoder-client.ts";
import type { Env } from "./platform/env.ts";
import { deploymentProblems } from "./deployment-problems.ts";
import { logError } from "./platform/log.ts";

export interface PartHealth {
  status: "up" | "down";
  tookMs: number;
  detail?: unknown;
}
export interface Health {
  status: "up" | "degraded";
  parts: Record<string, PartHealth>;
}

/** `public` checks run for everyone. `full` adds those that write or start something, and needs credentials. */
export type HealthScope = "public" | "full";

interface Check {
  scope: HealthScope;
  /** Throws when the part is down. The result is shown to authenticated callers. */
  run(env: Env): Promise<unknown>;
}

const CHECKS: Record<string, Check> = {
  settings: { scope: "public", run: (env) => Promise.resolve(requireUsable(deploymentProblems(env))) },
  database: {
    scope: "public",
    run: async (env) => void (await openDatabase(env.DB).run(sql`select 1 from workspaces limit 1`)),
  },
  storage: { scope: "public", run: async (env) => void (await env.MEDIA.head("health")) },
  // The consumer of the queue drops this message.
  queue: { scope: "full", run: async (env) => void (await env.PURGES.send({ health: true })) },
  encoder: { scope: "full", run: (env) => encoderClient(env).health() },
};

/** Also logged, because no request can authenticate before the first workspace exists. */
function requireUsable(problems: string[]): void {
  if (problems.length === 0) return;
  logError("deployment.settings_unusable", { problems });
  throw new Error(problems.join("; "));
}

const TIMEOUT_MS = 3000;
/** Lifetime of a cached result. */
const FRESH_MS = 5000;
const WAIT_MS = 20;

async function look(env: Env, check: Check): Promise<PartHealth> {
  const startedAt = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    const detail = await Promise.race([check.run(env), timeout]);
    return { status: "up", tookMs: Date.now() - startedAt, ...(detail === undefined ? {} : { detail }) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { status: "down", tookMs: Date.now() - startedAt, detail };
  } finally {
    clearTimeout(timer);
  }
}

async function runChecks(env: Env, scope: HealthScope): Promise<Health> {
  const chosen = Object.entries(CHECKS).filter(([, check]) => scope === "full" || check.scope === "public");
  const parts = Object.fromEntries(
    await Promise.all(chosen.map(async ([name, check]) => [name, await look(env, check)] as const)),
  );
  return { status: Object.values(parts).every((part) => part.status === "up") ? "up" : "degraded", parts };
}

interface Slot {
  result: Health | null;
  checkedAtMs: number;
  /** When the check under way began; null = none is. */
  startedAtMs: number | null;
}

/**
 * This isolate's latest health result, at most `FRESH_MS` old. Of concurrent requests only one runs the checks, and the others read its
 * result. A promise of a request that was cancelled never settles, so requests without a result poll every `WAIT_MS` instead of awaiting it.
 */
export class HealthCache {
  private readonly slots: Record<HealthScope, Slot> = {
    public: { result: null, checkedAtMs: 0, startedAtMs: null },
    full: { result: null, checkedAtMs: 0, startedAtMs: null },
  };
  private readonly clock: () => number;

  constructor(clock: () => number) {
    this.clock = clock;
  }

  async read(env: Env, scope: HealthScope): Promise<Health> {
    const slot = this.slots[scope];
    for (;;) {
      const nowMs = this.clock();
      if (slot.result !== null && nowMs - slot.checkedAtMs < FRESH_MS) return slot.result;
      // A check that outlasts its timeout belongs to a request that was terminated.
      const isUnderWay = slot.startedAtMs !== null && nowMs - slot.startedAtMs < 2 * TIMEOUT_MS;
      if (!isUnderWay) return await this.refresh(env, scope, slot);
      if (slot.result !== null) return slot.result;
      await new Promise((done) => setTimeout(done, WAIT_MS));
    }
  }

  private async refresh(env: Env, scope: HealthScope, slot: Slot): Promise<Health> {
    slot.startedAtMs = this.clock();
    const result = await runChecks(env, scope);
    Object.assign(slot, { result, checkedAtMs: this.clock(), startedAtMs: null });
    return result;
  }
}
