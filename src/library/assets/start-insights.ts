import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { assetMachine } from "./asset-calls.ts";
import type { Insight } from "../insights/store/repository.ts";

/** Hands requests to the machines of their assets. Repeatable. Never rejects: the sweep repeats calls that were lost. */
export async function startInsights(env: Env, insights: readonly Insight[]): Promise<void> {
  for (const { assetId, kind, workspaceId, requestId, order } of insights)
    await assetMachine(env, assetId)
      .takeInsight({ assetId, kind, workspaceId, requestId, order })
      .catch((error: unknown) => logWarning("insight.call_failed", { assetId, kind, ...errorFields(error) }));
}
