import type { Env } from "../../platform/env.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import type { TimelineEvent } from "../views/view-event.ts";
import type { ViewRecord } from "../views/view-record.ts";

export type Row = Record<string, string | number | null>;

/** SQL of the query builder; values of callers are bound. */
export interface Query {
  sql: string;
  values: (string | number | null)[];
}

export interface StoredView {
  view: ViewRecord;
  timeline: TimelineEvent[];
}

/** The calls of a view store. Each is one document. */
export interface StoreCalls {
  /** Repeatable. @param stored `revision` orders the states of a view: the highest stays */
  put: (stored: StoredView & { revision: number }) => void;
  remove: (of: { viewId: string }) => void;
  find: (of: { viewId: string }) => StoredView | null;
  /** The views that satisfy the condition and come after this one, in the order of their ends: as many as fit into an answer. */
  page: (of: { condition: Query; afterMs: number; afterId: string }) => StoredView["view"][];
  /** The rows of each query. */
  run: (of: { queries: Query[] }) => Row[][];
}

/** The store of a month, which is that in which its views ended or were last active: "2026-11", by UTC. */
export const monthOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 7);

/** Calls the store of one workspace and month. */
export const callStore = <Name extends keyof StoreCalls>(
  env: Env,
  { workspaceId, month }: { workspaceId: string; month: string },
  name: Name,
  document: Parameters<StoreCalls[Name]>[0],
) => callMachine<ReturnType<StoreCalls[Name]>>(env.VIEW_STORE, `${workspaceId}:${month}`, name, document);
