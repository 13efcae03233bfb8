import { canNextModel, mostCostOf, ProviderError, type TextProvider } from "../../../ai/providers/index.ts";
import type { TextStep } from "../../../ai/text/index.ts";
import { budgetMicroUsd, type Call, isCovered, releaseCall, reserveCall, settleCall } from "../../../ai/usage/index.ts";
import { openDatabase } from "../../../platform/database.ts";
import { AI_BUDGET_SPENT, type AssetError, fromProviderError } from "../../assets/asset-error.ts";
import type { AssetComponents } from "../core/components.ts";

const CALL_MS = 120_000;
/** With the delays below, ten minutes in which a provider may be unreachable. */
const MAX_TRIES = 8;
const FIRST_DELAY_MS = 5000;
const LONGEST_DELAY_MS = 10 * 60_000;
/** An answer that is none is asked for once more. */
const MAX_UNUSABLE = 2;

/** How often a question has been asked in vain. */
export interface Tried {
  /** Questions that a provider did not answer since the last one that it did. */
  tries: number;
  /** Answers that could not be used, of the question that is open. */
  unusable: number;
}

export type Outcome = {
  /** Of all models that were asked, in millionths of a dollar. */
  costMicroUsd: number;
  tookMs: number;
} & (
  | { kind: "answered"; answer: unknown; model: string }
  | { kind: "failed"; error: AssetError }
  | { kind: "again"; tried: Tried; delayMs: number; code: string; status: number | null }
);

/** Asks one question of the models in turn, within the workspace's budget. Each call is counted before it is made, and by its tokens afterwards. */
export async function askQuestion(
  { clock, env }: AssetComponents,
  { workspaceId, kind, tried }: { workspaceId: string; kind: Call["kind"]; tried: Tried },
  provider: TextProvider,
  { request, read }: TextStep,
): Promise<Outcome> {
  const db = openDatabase(env.DB);
  const repeat = { ...request, isRepeat: tried.unusable > 0 };
  const startedMs = clock();
  let spentMicroUsd = 0;
  const so = () => ({ costMicroUsd: spentMicroUsd, tookMs: clock() - startedMs });
  let failure = new ProviderError("ai_failed");
  for (const model of provider.models) {
    const now = new Date(clock());
    const call: Call = {
      workspaceId,
      kind,
      engine: provider.engine,
      units: 0,
      costMicroUsd: mostCostOf(provider, repeat),
    };
    if (!(await reserveCall(db, call, budgetMicroUsd(env), now)))
      return { kind: "failed", error: AI_BUDGET_SPENT, ...so() };
    try {
      const { value, ...tokens } = await provider.ask(model, repeat, AbortSignal.timeout(CALL_MS));
      const costMicroUsd = provider.costOf(tokens);
      spentMicroUsd += costMicroUsd;
      await settleCall(db, call, { costMicroUsd, units: tokens.inputTokens + tokens.outputTokens }, now);
      const answer = read(value);
      if (answer === null) throw new ProviderError("ai_answer_unusable");
      return { kind: "answered", answer, model, ...so() };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (!error.isPaid) await releaseCall(db, call, now);
      failure = error;
      if (!canNextModel(error)) break;
    }
  }
  const again = againAfter(failure, tried, Number(env.SOURCE_RETRY_SCALE ?? "") || 1);
  return again === null ? { kind: "failed", error: fromProviderError(failure), ...so() } : { ...again, ...so() };
}

/** Whether the rest of the month's budget covers so many questions. @param request the first of them, which costs as much as any other one */
export async function areCovered(
  { clock, env }: AssetComponents,
  { workspaceId, provider, request, count }: QuestionsToPay,
): Promise<boolean> {
  const costMicroUsd = mostCostOf(provider, request) * count;
  return await isCovered(openDatabase(env.DB), env, { workspaceId, costMicroUsd }, new Date(clock()));
}

interface QuestionsToPay {
  workspaceId: string;
  provider: TextProvider;
  request: TextStep["request"];
  count: number;
}

/** Null = it is not asked again. */
function againAfter(error: ProviderError, tried: Tried, scale: number) {
  const { code, retryAfterMs, status } = error;
  const isUnusable = code === "ai_answer_unusable";
  const unusable = tried.unusable + (isUnusable ? 1 : 0);
  // What may have cost something without a result is asked for three times.
  const tries = tried.tries + (error.isPaid && !isUnusable ? 1 + MAX_TRIES / 4 : 1);
  const isAsked = (isUnusable ? unusable < MAX_UNUSABLE : error.isRetryable) && tries < MAX_TRIES;
  if (!isAsked) return null;
  const delayMs = Math.min(LONGEST_DELAY_MS, Math.max(retryAfterMs ?? 0, FIRST_DELAY_MS * 2 ** (tries - 1) * scale));
  return { kind: "again" as const, tried: { tries, unusable }, delayMs, code, status };
}
