import type { TextProvider } from "../../../ai/providers/index.ts";
import type { TextStep } from "../../../ai/text/index.ts";
import type { AssetError } from "../../assets/asset-error.ts";
import { logWarning } from "../../../platform/log.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { askQuestion } from "./question.ts";
import { failInsight } from "./take-insight.ts";

/** One of the questions of a result. */
interface Question {
  /** Its name among them, under which tries in vain are counted. */
  id: string;
  provider: TextProvider;
  step: TextStep;
  /** Stores the answer, in the commit that counts what it has cost. */
  keep: (answer: unknown, model: string) => void;
  /** Where nothing can be answered; default: the result fails. */
  fail?: ((error: AssetError) => void) | undefined;
}

/** As it is now; null = it is deleted, has failed, or was asked for again. */
export function stillPending(
  { insights }: AssetComponents,
  { kind, requestId }: Pick<PendingInsight, "kind" | "requestId">,
): PendingInsight | null {
  const known = insights.get(kind);
  return known?.requestId === requestId ? known : null;
}

/**
 * Asks one question of a result that is still wanted, and counts what it has cost and how often it was asked. Where nothing can be answered, the result fails.
 *
 * @returns when it may be asked again, epoch ms; null = it is answered. "over" = nothing is to be asked any more
 */
export async function askCounted(
  machine: AssetComponents,
  insight: PendingInsight,
  { id, provider, step, keep, fail = (error) => failInsight(machine, insight, error) }: Question,
): Promise<number | "over" | null> {
  const { clock, insights } = machine;
  const { assetId, kind, workspaceId } = insight;
  const tried = stillPending(machine, insight)?.retries?.[id] ?? { tries: 0, unusable: 0 };
  const outcome = await askQuestion(machine, { workspaceId, kind, tried }, provider, step);
  const known = stillPending(machine, insight);
  if (known === null) return "over";
  const spent = { costMicroUsd: known.costMicroUsd + outcome.costMicroUsd, tookMs: known.tookMs + outcome.tookMs };
  const { [id]: _, ...retries } = known.retries ?? {};
  if (outcome.kind === "answered") {
    machine.commit(() => {
      keep(outcome.answer, outcome.model);
      insights.change(known, { ...spent, retries, model: outcome.model });
    });
    return null;
  }
  if (outcome.kind === "failed") {
    insights.change(known, { ...spent, retries });
    fail(outcome.error);
    return "over";
  }
  const { code, status, delayMs } = outcome;
  const { tries } = outcome.tried;
  logWarning("insight.provider_failed", { assetId, kind, question: id, code, status, tries, delayMs });
  insights.change(known, { ...spent, retries: { ...retries, [id]: outcome.tried } });
  return clock() + delayMs;
}
