import type { Env } from "../../platform/env.ts";
import { type Remote, remoteObject } from "../../platform/machine/remote.ts";
import type { Measure } from "./columns.ts";
import type { Neighbours } from "./neighbours.ts";
import type { HandedOver } from "../r2-sql/handed-over.ts";
import type { RefusalCount } from "./refusal-counts.ts";
import type { IntervalGrid, Watched } from "./interval-counts.ts";
import type { TimelineEvent } from "../views/view-event.ts";
import type { ViewRecord } from "../views/view-record.ts";
import type { WatchedRange } from "../views/watched-ranges.ts";

export type Row = Record<string, string | number | null>;

/** SQL of the query builder; values of callers are bound. */
export interface Query {
  sql: string;
  values: (string | number | null)[];
}

/** Views that ended or were last active within a time. */
export interface Span {
  /** Epoch ms; the end is not included. */
  fromMs: number;
  toMs: number;
  filters: Query;
}

export interface StoredView {
  view: ViewRecord;
  timeline: TimelineEvent[];
}

/** A state of a view, as its store takes it. */
export interface ViewState extends StoredView {
  /** Orders the states of a view: the highest stays. */
  revision: number;
  /** Absent = what the timeline shows. */
  watched?: WatchedRange[];
}

/** What is wanted of one column. */
export interface Wanted {
  column: Measure;
  /** Shares, 0 to 1. */
  quantiles: number[];
  /** Only views that did not fail. For columns without quantiles. */
  isOfSucceeded: boolean;
}

export interface ColumnFigures {
  column: Measure;
  total: number;
  /** Views with a value. */
  count: number;
  /** In the order in which they were wanted; null = no view has a value. */
  quantiles: (number | null)[];
}

export interface Figures {
  views: number;
  viewers: number;
  columns: ColumnFigures[];
}

/** What one store says of a column. */
export interface StoreColumn extends Pick<ColumnFigures, "column" | "total" | "count"> {
  /** One pair per quantile; null = no view has a value. */
  neighbours: (Neighbours | null)[];
}

export interface StoreFigures {
  views: number;
  viewers: number;
  /** Null = were not asked for. */
  viewerHashes: number[] | null;
  columns: StoreColumn[];
}

/** Values of a column between two values, both included. */
export interface Range {
  column: Measure;
  from: number;
  to: number;
}

/** What one store has of a range. */
export interface RangePart {
  /** How many values are below the range, at its ends, and between them. `atTo` is 0 if both ends are the same. */
  below: number;
  atFrom: number;
  atTo: number;
  between: number;
  /** Those between; null = too many for an answer. */
  values: number[] | null;
  /** If they are too many: one of them, about in the middle. */
  middle: number | null;
}

/** How far the deletion of a viewer's views is. */
export interface Forgotten {
  deletedViews: number;
  /** Deleted by the store's alarm. */
  remainingViews: number;
}

/** How far a store has handed over its final views, in views. */
export interface HandOverProgress {
  /** They count in the distributed table; fewer once the store deletes them. */
  confirmed: number;
  remaining: number;
  /** Some of them ended more than two hours ago. */
  isBehind: boolean;
}

/** How far a store has taken its views back from the distributed table. */
export interface TakeBackProgress {
  /** Views of the table that the store has. */
  confirmed: number;
  /** The table was read to its end. */
  isRead: boolean;
}

/** What of a store does not count in the distributed table. */
export interface Remainder {
  /** The rows of each query. */
  rows: Row[][];
  watched: Watched | null;
  /** At the moment of the answer. */
  handedOver: HandedOver;
}

/** The store of one workspace and month. */
interface StoreName {
  workspaceId: string;
  month: string;
}

export interface WatchedQuery {
  condition: Query;
  axis: "media" | "clock";
  grid: IntervalGrid;
}

export interface ViewPage {
  condition: Query;
  afterMs: number;
  afterId: string;
}

export interface FiguresQuery {
  span: Span;
  wanted: Wanted[];
  /** Also says who the viewers are. */
  withViewers?: boolean;
}

export interface RemainderQuery extends StoreName {
  queries: Query[];
  watched?: WatchedQuery;
}

export interface HandOverOrder extends StoreName {
  /** Questions are asked of both. */
  isSwitched: boolean;
  /** Views that ended earlier are not counted. */
  keptFromMs: number;
}

export interface TakeBackOrder extends StoreName {
  keptFromMs: number;
  /** Reads the table from its start. */
  isAgain?: boolean;
}

/** `forgotten`: its viewer was forgotten after it began. `full`: the store has no room for a view that it does not have yet. */
export type PutOutcome = "stored" | "forgotten" | "full";

/** The RPC methods of a view store (`durable-objects/view-store.ts`). */
export interface StoreCalls {
  /** Repeatable. */
  put(state: ViewState): Promise<PutOutcome>;
  remove(viewId: string): void;
  find(viewId: string): StoredView | null;
  /** The views that satisfy the condition and come after this one, in the order of their ends: as many as fit into an answer. */
  readPage(page: ViewPage): StoredView["view"][];
  /** Which intervals the views that satisfy the condition have watched. */
  countWatched(query: WatchedQuery): Watched;
  /** Counts what could not be used of reports. A call that is repeated counts twice: the figures are for finding faults. */
  addRefusals(counts: Record<string, number>, atMs: number): void;
  readRefusals(fromMs: number, toMs: number): RefusalCount[];
  /** Counts a `playback.*` event of this day. A call that is repeated counts twice. @returns false beyond the workspace's bound */
  takeEventPlace(atMs: number): boolean;
  /** The rows of each query. */
  run(queries: Query[]): Row[][];
  /** Sums and quantiles of many columns. */
  readFigures(query: FiguresQuery): StoreFigures;
  /** What lies in each range. */
  readRanges(span: Span, ranges: Range[]): RangePart[];
  /** For questions whose conditions include `REMAINDER` (hand-over-table.ts). */
  readRemainder(query: RemainderQuery): Remainder;
  /** Hands over final views to the distributed table for half an hour. Repeatable. */
  handOver(order: HandOverOrder): HandOverProgress;
  /** Takes views back from the distributed table for half an hour, and hands none over. Repeatable. */
  takeBack(order: TakeBackOrder): TakeBackProgress;
  /** Deletes the views of a viewer that began until now. Repeatable. */
  forgetViewer(viewerId: string): Promise<Forgotten>;
}

/** Returns a stub; sends nothing. */
export const viewStore = (env: Env, { workspaceId, month }: StoreName): Remote<StoreCalls> =>
  remoteObject(env.VIEW_STORE, `${workspaceId}:${month}`);
