/** Fills the view store of the present month. */
import { daysOf, type Filling } from "../worker/filling.ts";
import type { BenchHost } from "./bench-host.ts";

const STEP = 2000;
const MOST_SIMULATED = 20_000;

export async function fillStore(
  { baseUrl, workspaceId }: BenchHost,
  { views: wanted, nowMs }: { views: number; nowMs: number },
): Promise<void> {
  const simulated = Math.min(wanted, MOST_SIMULATED);
  let saidAt = performance.now();
  for (let from = 0; from < wanted;) {
    // A step of copies stays within one copy.
    const to = Math.min(wanted, from + STEP, (Math.floor(from / simulated) + 1) * simulated);
    const filling = { workspaceId, nowMs, simulated, from, to } satisfies Filling;
    const answer = await fetch(`${baseUrl}/bare/views`, { method: "POST", body: JSON.stringify(filling) });
    if (!answer.ok) throw new Error(`filling answered ${answer.status}: ${await answer.text()}`);
    const { views } = (await answer.json()) as { views: number };
    if (views !== to) throw new Error(`the store has ${views} views instead of ${to}`);
    from = to;
    if (performance.now() - saidAt < 10_000) continue;
    saidAt = performance.now();
    console.error(`  ${to} views`);
  }
}

/** The time span of the views, as parameters of a question. */
export const spanOf = (nowMs: number): string =>
  [nowMs - daysOf(nowMs) * 24 * 3600_000, nowMs].map((ms) => `timespan[]=${Math.floor(ms / 1000)}`).join("&");
