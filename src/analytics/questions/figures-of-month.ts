import type { Env } from "../../platform/env.ts";
import { callStore, type Figures, type Wanted } from "../store/store-calls.ts";
import { monthsIn } from "./ask-stores.ts";
import { conditionOf, type Scope } from "./scope.ts";

/** The store of one month reads its views a few times for all figures. @returns null for several months: their quantiles are those of all values together */
export async function figuresOfMonth(
  env: Env,
  workspaceId: string,
  scope: Scope,
  { wanted, nowMs }: { wanted: Wanted[]; nowMs: number },
): Promise<Figures | null> {
  const [month, ...others] = monthsIn(env, scope, nowMs);
  if (month === undefined || others.length > 0) return null;
  return await callStore(env, { workspaceId, month }, "figures", { condition: conditionOf(scope), wanted });
}
