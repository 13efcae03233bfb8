import type { Env } from "../../platform/env.ts";
import { callStore, type Figures, type Wanted } from "../store/store-calls.ts";
import { monthsIn } from "./ask-stores.ts";
import { filtersOf, type Scope } from "./scope.ts";

/** The store of one month reads its views once for all figures. @returns null for several months: their quantiles are those of all values together */
export async function figuresOfMonth(
  env: Env,
  workspaceId: string,
  scope: Scope,
  { wanted, nowMs }: { wanted: Wanted[]; nowMs: number },
): Promise<Figures | null> {
  const [month, ...others] = monthsIn(env, scope, nowMs);
  if (month === undefined || others.length > 0) return null;
  const { fromMs, toMs } = scope;
  const span = { fromMs, toMs, filters: filtersOf(scope) };
  return await callStore(env, { workspaceId, month }, "figures", { span, wanted });
}
