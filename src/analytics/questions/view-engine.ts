import type { ViewRecord } from "../views/view-record.ts";
import type { IntervalGrid, Watched } from "../store/interval-counts.ts";
import type { Figures, Forgotten, Row, StoredView, Wanted } from "../store/store-calls.ts";
import type { GroupKey } from "./group-key.ts";
import type { Measurement, MetricName } from "./metrics.ts";
import type { Scope } from "./scope.ts";

/** Answers questions about the views of a workspace. There are two: embedded (SQLite of Durable Objects) and distributed (R2 SQL). */
export interface ViewEngine {
  /** The metric for each group of views. Groups beyond the 100,000 largest are left out. */
  group(question: Question): Promise<Group[]>;
  /** Sums and quantiles of many columns at once. */
  figures(scope: Scope, wanted: Wanted[]): Promise<Figures>;
  count(scope: Scope): Promise<number>;
  /** One page of views by the time at which they ended. */
  list(scope: Scope, page: Page): Promise<{ rows: Row[]; total: number }>;
  errors(scope: Scope): Promise<ErrorFigures>;
  /** The contexts that players stated with the latest views of these errors, by `errorKey`. An error without one is left out. */
  errorContexts(scope: Scope, errors: readonly SeenError[]): Promise<Map<string, string>>;
  /** @returns null when the workspace has no such view, or it is no longer kept */
  find(viewId: string): Promise<StoredView | null>;
  /** All views of a scope. At most one page is in memory. */
  pages(scope: Scope): AsyncGenerator<ViewRecord[]>;
  /** Counts the watched intervals of a media or stream. Views that showed no picture do not count. */
  watched(question: WatchedQuestion): Promise<Watched>;
  /** Deletes the views of a viewer that began before now, also those that are reported later. Repeatable. */
  forget(viewerId: string): Promise<Forgotten>;
}

export interface Question {
  scope: Scope;
  metric: MetricName;
  measurement: Measurement;
  key: GroupKey;
}

/** Views that have the same value of a dimension, or ended in the same interval. */
export interface Group {
  /** Null = views without a value. */
  key: string | number | null;
  views: number;
  viewers: number;
  watchMs: number;
  playingMs: number;
  /** Null = no view of the group has a value. */
  value: number | null;
}

export interface Page {
  /** From 1. */
  page: number;
  limit: number;
  order: "asc" | "desc";
}

/** An error that ended views. */
export interface SeenError {
  code: string;
  message: string;
  count: number;
  lastMs: number;
  viewers: number;
}

export interface ErrorFigures {
  /** All views in scope, also those without an error. */
  views: number;
  viewers: number;
  errors: SeenError[];
}

export interface WatchedQuestion {
  scope: Scope;
  content: { column: "media_id" | "fp_live_stream_id"; id: string };
  /** By position in a media, or by time of day for a live stream. */
  grid: IntervalGrid;
}

export const axisOf = ({ content }: WatchedQuestion) => (content.column === "media_id" ? "media" : "clock");
