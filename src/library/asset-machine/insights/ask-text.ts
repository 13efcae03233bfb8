import type { TextProvider } from "../../../ai/providers/index.ts";
import { BUILT_IN, isShort, TEXT_RULES, type TextKind, type TextSource } from "../../../ai/text/index.ts";
import { log } from "../../../platform/log.ts";
import { AI_BUDGET_SPENT, NO_TRANSCRIPT } from "../../assets/asset-error.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { askCounted, stillPending } from "./ask-counted.ts";
import { areCovered } from "./question.ts";
import { endInsight, failInsight } from "./take-insight.ts";

/** A step asks for this long; other timers of the media wait for it. */
const STEP_MS = 60_000;

/** Asks a provider about the parts of a transcript, one after another, and joins the answers. */
export async function askText(
  machine: AssetComponents,
  insight: PendingInsight & { kind: TextKind },
  source: TextSource,
  provider: TextProvider,
): Promise<void> {
  const { clock, insights, outbox } = machine;
  const { assetId, kind, requestId, order, workspaceId } = insight;
  const trackId = insight.read!.trackId;
  if (source.parts.length === 0) return failInsight(machine, insight, NO_TRANSCRIPT);
  if (kind === "summary" && isShort(source.sentences)) {
    const madeBy = { engine: "built-in", model: "", trackId, costUsd: 0, tookMs: 0 };
    return endInsight(machine, insight, {
      status: "available",
      result: BUILT_IN.summary(source.sentences, order, 0),
      madeBy,
    });
  }
  const { count, step } = TEXT_RULES[kind].steps(source, order);
  if (insights.answered(kind).size === 0) {
    // What could not all be paid is not begun. Later on, what was answered has been paid.
    const { request } = step(0, []);
    if (!(await areCovered(machine, { workspaceId, provider, request, count })))
      return failInsight(machine, insight, AI_BUDGET_SPENT);
  }
  const untilMs = clock() + STEP_MS;
  for (let answers = insights.answers(kind); answers.length < count; answers = insights.answers(kind)) {
    if (stillPending(machine, insight) === null) return;
    if (clock() >= untilMs) return insights.change(insight, { dueMs: clock() });
    const n = answers.length;
    const keep = (answer: unknown) => insights.keep(kind, n, answer);
    const outcome = await askCounted(machine, insight, { id: `${kind} ${n}`, provider, step: step(n, answers), keep });
    if (outcome === "over") return;
    if (outcome !== null) return insights.change(insight, { dueMs: outcome });
    const percent = Math.floor((99 * (n + 1)) / count);
    outbox.enqueue({ kind: "insightProgress", payload: { kind, requestId, percent } });
  }
  const made = stillPending(machine, insight);
  if (made === null) return;
  const result = TEXT_RULES[kind].join(insights.answers(kind), source);
  const madeBy = {
    engine: provider.engine,
    model: made.model,
    trackId,
    costUsd: made.costMicroUsd / 1e6,
    tookMs: Math.round(made.tookMs),
  };
  endInsight(machine, insight, { status: "available", result, madeBy });
  log("insight.made", { assetId, kind, questions: count, ...madeBy });
}
