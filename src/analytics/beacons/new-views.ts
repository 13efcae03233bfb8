import type { Env } from "../../platform/env.ts";

/** Two generations of these are remembered. An isolate has a few thousand running views. */
const MAX_GENERATION = 50_000;
const GENERATION_MS = 600_000;

/** The views that an isolate has counted. Views with a report every few minutes stay remembered. */
export class RecentViews {
  #current = new Set<string>();
  #earlier = new Set<string>();
  #sinceMs = 0;

  has(view: string, nowMs: number): boolean {
    this.#turn(nowMs);
    if (this.#current.has(view)) return true;
    if (!this.#earlier.has(view)) return false;
    this.#current.add(view);
    return true;
  }

  add(view: string, nowMs: number): void {
    this.#turn(nowMs);
    this.#current.add(view);
  }

  #turn(nowMs: number): void {
    if (this.#current.size < MAX_GENERATION && nowMs - this.#sinceMs < GENERATION_MS) return;
    this.#earlier = this.#current;
    this.#current = new Set();
    this.#sinceMs = nowMs;
  }
}

const recent = new RecentViews();

/**
 * Counts a view that this isolate does not know, for its network, its workspace and the deployment, before its machine is touched: a new
 * machine writes tables, a row of the store and an event. A view whose reports reach several isolates counts in each of them.
 *
 * @returns false beyond one of the limits
 */
export async function admitView(env: Env, view: string, network: string, workspaceId: string): Promise<boolean> {
  const nowMs = Date.now();
  if (recent.has(view, nowMs)) return true;
  const limits: [RateLimit, string][] = [
    [env.NEW_VIEWS, network],
    [env.NEW_VIEWS_OF_WORKSPACE, workspaceId],
    [env.NEW_VIEWS_IN_ALL, "all"],
  ];
  for (const [limiter, key] of limits) if (!(await limiter.limit({ key })).success) return false;
  recent.add(view, nowMs);
  return true;
}
