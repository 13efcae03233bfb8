import type { TextProvider } from "../../../ai/providers/index.ts";
import type { TextStep } from "../../../ai/text/index.ts";
import { AI_BUDGET_SPENT, type AssetError } from "../../assets/asset-error.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { askCounted, stillPending } from "./ask-counted.ts";
import { areCovered } from "./question.ts";

const CALLS_AT_ONCE = 4;
/** A step starts calls for this long; other timers of the media wait for it. */
const STEP_MS = 60_000;

/** Independent questions to one provider. */
export interface Questions {
  /** Under which the answers are stored. */
  key: string;
  count: number;
  step: (n: number) => Promise<TextStep>;
  provider: TextProvider;
  /** What is shown as progress: from the first answer to the last. */
  percent: readonly [from: number, to: number];
  /** Where a question cannot be answered. */
  fail: (error: AssetError) => void;
}

/** One answer as it is stored. */
interface Kept {
  answer: unknown;
  model: string;
}

/** The answers, and the model that gave the last one. */
export function keptAnswers<Answer>({ insights }: AssetComponents, key: string): { answers: Answer[]; model: string } {
  const kept = insights.answers(key) as Kept[];
  return { answers: kept.map(({ answer }) => answer as Answer), model: kept.at(-1)?.model ?? "" };
}

/** Asks what has no answer yet, four at the same time. An answer is stored when it has come. @returns whether all are answered; otherwise the request has failed, or goes on later */
export async function askAll(
  machine: AssetComponents,
  insight: PendingInsight,
  questions: Questions,
): Promise<boolean> {
  const { clock, insights } = machine;
  const { workspaceId } = insight;
  const { key, count, step, provider, fail } = questions;
  const answered = insights.answered(key);
  const open = Array.from({ length: count }, (_, n) => n).filter((n) => !answered.has(n));
  const [first] = open;
  if (first === undefined) return true;
  // What could not all be paid is not begun.
  const { request } = await step(first);
  if (!(await areCovered(machine, { workspaceId, provider, request, count: open.length }))) {
    fail(AI_BUDGET_SPENT);
    return false;
  }
  const untilMs = clock() + STEP_MS;
  let againAtMs: number | null = null;
  let hasFailed = false;
  const isOver = () => hasFailed || stillPending(machine, insight) === null;
  const ask = async (n: number) => {
    const keep = (answer: unknown, model: string) => insights.keep(key, n, { answer, model } satisfies Kept);
    const outcome = await askCounted(machine, insight, {
      id: `${key} ${n}`,
      provider,
      step: await step(n),
      keep,
      fail,
    });
    if (outcome === "over") hasFailed = true;
    else if (outcome === null) showProgress(machine, insight, questions);
    else againAtMs = Math.max(againAtMs ?? 0, outcome);
  };
  const work = async () => {
    for (let n = open.shift(); n !== undefined; n = open.shift()) {
      if (againAtMs !== null || isOver() || clock() >= untilMs) return void open.unshift(n);
      await ask(n);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  if (isOver()) return false;
  if (againAtMs === null && open.length === 0) return true;
  insights.change(insight, { dueMs: againAtMs ?? clock() });
  return false;
}

/** Steps in which progress is shown. */
const PERCENT_STEP = 5;

function showProgress(
  { clock, insights, outbox, timers }: AssetComponents,
  { kind, requestId }: PendingInsight,
  { key, count, percent: [from, to] }: Pick<Questions, "key" | "count" | "percent">,
): void {
  const done = insights.answered(key).size;
  const percentAt = (answers: number) => Math.floor(from + ((to - from) * answers) / count);
  const percent = percentAt(done);
  if (Math.floor(percent / PERCENT_STEP) === Math.floor(percentAt(done - 1) / PERCENT_STEP)) return;
  outbox.enqueue({ kind: "insightProgress", payload: { kind, requestId, percent } });
  timers.bringForward("outbox", clock());
}
