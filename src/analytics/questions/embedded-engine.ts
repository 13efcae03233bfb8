import type { Env } from "../../platform/env.ts";
import { countErrors, readContexts } from "./count-errors.ts";
import { figuresOfMonths } from "./figures-of-months.ts";
import { forgetViewer } from "./forget-viewer.ts";
import { groupViews } from "./group-views.ts";
import { countViews, findView, listViews } from "./list-views.ts";
import { countWatchedViews, viewPages } from "./read-views.ts";
import type { ViewEngine } from "./view-engine.ts";

/** Views in SQLite of Durable Objects, one per workspace and month. Every answer is exact. */
export const embeddedEngine = (env: Env, workspaceId: string, nowMs: number): ViewEngine => ({
  group: (question) => groupViews(env, workspaceId, question, nowMs),
  figures: (scope, wanted) => figuresOfMonths(env, workspaceId, scope, { wanted, nowMs }),
  count: (scope) => countViews(env, workspaceId, scope, nowMs),
  list: (scope, page) => listViews(env, workspaceId, scope, page, nowMs),
  errors: (scope) => countErrors(env, workspaceId, scope, nowMs),
  errorContexts: (scope, errors) => readContexts(env, workspaceId, scope, { errors, nowMs }),
  find: (viewId) => findView(env, workspaceId, viewId, nowMs),
  pages: (scope) => viewPages(env, workspaceId, scope, nowMs),
  watched: (question) => countWatchedViews(env, workspaceId, question, nowMs),
  forget: (viewerId) => forgetViewer(env, workspaceId, viewerId, nowMs),
});
