import type { TextProvider } from "../../../ai/providers/index.ts";
import {
  BUILT_IN,
  isShort,
  TEXT_RULES,
  type TextKind,
  type TextSource,
  type TextStep,
} from "../../../ai/text/index.ts";
import { log, logWarning } from "../../../platform/log.ts";
import { AI_BUDGET_SPENT, NO_TRANSCRIPT } from "../../assets/asset-error.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { areCovered, askQuestion } from "./question.ts";
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
    const open = insights.get(kind);
    if (open?.requestId !== requestId) return; // deleted, or asked for again
    if (clock() >= untilMs) return insights.change(insight, { dueMs: clock() });
    if (!(await askOne(machine, open, provider, step(answers.length, answers), answers.length))) return;
    outbox.enqueue({
      kind: "insightProgress",
      payload: { kind, requestId, percent: Math.floor((99 * (answers.length + 1)) / count) },
    });
  }
  const made = insights.get(kind);
  if (made?.requestId !== requestId) return;
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

/** @returns whether it is answered; otherwise it is asked again later, or the result has failed */
async function askOne(
  machine: AssetComponents,
  insight: PendingInsight,
  provider: TextProvider,
  step: TextStep,
  n: number,
): Promise<boolean> {
  const { clock, insights } = machine;
  const { assetId, kind, workspaceId, tries, unusable } = insight;
  const outcome = await askQuestion(machine, { workspaceId, kind, tried: { tries, unusable } }, provider, step);
  if (insights.get(kind)?.requestId !== insight.requestId) return false; // deleted, or asked for again
  const spent = {
    costMicroUsd: insight.costMicroUsd + outcome.costMicroUsd,
    tookMs: insight.tookMs + outcome.tookMs,
  };
  if (outcome.kind === "answered") {
    machine.commit(() => {
      insights.keep(kind, n, outcome.answer);
      insights.change(insight, { ...spent, model: outcome.model, tries: 0, unusable: 0 });
    });
    return true;
  }
  insights.change(insight, spent);
  if (outcome.kind === "failed") failInsight(machine, insight, outcome.error);
  else {
    const { tried, delayMs, code, status } = outcome;
    logWarning("insight.provider_failed", { assetId, kind, code, status, tries: tried.tries, delayMs });
    insights.change(insight, { ...tried, dueMs: clock() + delayMs });
  }
  return false;
}
