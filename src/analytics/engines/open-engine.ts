import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { findViewStore } from "../../tenancy/workspaces/index.ts";
import { embeddedEngine } from "../questions/embedded-engine.ts";
import type { ViewEngine } from "../questions/view-engine.ts";
import { r2SqlSettings } from "../r2-sql/settings.ts";
import { distributedEngine } from "./distributed-engine.ts";

/**
 * How long an isolate may keep using the former engine after a switch. That engine still has the same views: the stores keep all rows for ten
 * minutes (`hand-over-table.ts`), and after a return the table has the rows of the stores.
 */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 1000;
const known = new TtlCache<boolean>(MAX_KNOWN);

/**
 * The engine that has the views of a workspace.
 *
 * @throws {Problem} unavailable when it is the distributed one, and the settings lack it
 */
export async function openEngine(env: Env, workspaceId: string, nowMs: number): Promise<ViewEngine> {
  if (!(await isDistributed(env.DB, workspaceId))) return embeddedEngine(env, workspaceId, nowMs);
  const settings = r2SqlSettings(env);
  if (settings === null)
    throw new Problem("unavailable", "the views of this workspace are in R2 SQL, which the settings do not name");
  return distributedEngine({ env, settings, workspaceId, nowMs });
}

async function isDistributed(binding: D1Database, workspaceId: string): Promise<boolean> {
  const nowMs = Date.now();
  const found = known.get(workspaceId, nowMs);
  if (found !== undefined) return found;
  const state = await findViewStore(openDatabase(binding), workspaceId);
  const isNow = state === "distributed" || state === "returning";
  known.set(workspaceId, isNow, nowMs + KNOWN_MS);
  return isNow;
}
