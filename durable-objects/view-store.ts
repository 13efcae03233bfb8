import { DurableObject } from "cloudflare:workers";
import { StoreComponents } from "../src/analytics/store/components.ts";
import { countWatched } from "../src/analytics/store/count-watched.ts";
import { figuresOf } from "../src/analytics/store/figures.ts";
import { continueForgetting, forgetViewer } from "../src/analytics/store/forget-viewer.ts";
import { handOver, keepHandingOver } from "../src/analytics/store/hand-over.ts";
import { putView } from "../src/analytics/store/put-view.ts";
import { partsOf } from "../src/analytics/store/range-parts.ts";
import { readRemainder } from "../src/analytics/store/read-remainder.ts";
import type {
  FiguresQuery,
  Forgotten,
  HandOverOrder,
  HandOverProgress,
  PutOutcome,
  Query,
  Range,
  RangePart,
  Remainder,
  RemainderQuery,
  Row,
  Span,
  StoreCalls,
  StoredView,
  StoreFigures,
  TakeBackOrder,
  TakeBackProgress,
  ViewPage,
  ViewState,
  WatchedQuery,
} from "../src/analytics/store/store-calls.ts";
import type { Watched } from "../src/analytics/store/interval-counts.ts";
import type { RefusalCount } from "../src/analytics/store/refusal-counts.ts";
import { isEmptyStore, sweepStore } from "../src/analytics/store/sweep-store.ts";
import { keepTakingBack, takeBack } from "../src/analytics/store/take-back.ts";
import { takeEventPlace } from "../src/analytics/store/take-event-place.ts";
import type { Env } from "../src/platform/env.ts";
import { log } from "../src/platform/log.ts";

/** Holds the views of one workspace and month, and answers questions about them (docs/architecture/video-data.md). */
export class ViewStore extends DurableObject<Env> implements StoreCalls {
  #opened: StoreComponents | null = null;

  get #components(): StoreComponents {
    return (this.#opened ??= new StoreComponents(this.ctx, this.env));
  }

  override async alarm(): Promise<void> {
    const components = this.#components;
    const handlers = { sweep: sweepStore, forget: continueForgetting, "hand-over": handOver, "take-back": takeBack };
    await components.timers.runDue({ run: async (timer) => await handlers[timer](components) });
    if (!isEmptyStore(components)) return;
    this.#opened = null;
    await this.ctx.storage.deleteAll();
    log("view_store.deleted", { store: this.ctx.id.name ?? this.ctx.id.toString() });
  }

  // Views.

  put(state: ViewState): Promise<PutOutcome> {
    return putView(this.#components, state);
  }

  remove(viewId: string): void {
    this.#components.views.remove([viewId]);
  }

  find(viewId: string): StoredView | null {
    return this.#components.views.find(viewId);
  }

  readPage({ condition, afterMs, afterId }: ViewPage): StoredView["view"][] {
    return this.#components.views.page(condition, afterMs, afterId);
  }

  forgetViewer(viewerId: string): Promise<Forgotten> {
    return forgetViewer(this.#components, viewerId);
  }

  // Questions.

  run(queries: Query[]): Row[][] {
    return queries.map((query) => this.#components.views.run(query));
  }

  countWatched({ condition, axis, grid }: WatchedQuery): Watched {
    return countWatched(this.#components.views, condition, axis, grid);
  }

  readFigures({ span, wanted, withViewers = false }: FiguresQuery): StoreFigures {
    return figuresOf(this.#components.views, span, wanted, { withViewers });
  }

  readRanges(span: Span, ranges: Range[]): RangePart[] {
    return partsOf(this.#components.views, span, ranges);
  }

  readRemainder(query: RemainderQuery): Remainder {
    return readRemainder(this.#components, query);
  }

  // Refused reports, and events.

  addRefusals(counts: Record<string, number>, atMs: number): void {
    this.#components.refusals.add(counts, atMs);
  }

  readRefusals(fromMs: number, toMs: number): RefusalCount[] {
    return this.#components.refusals.between(fromMs, toMs);
  }

  takeEventPlace(atMs: number): boolean {
    return takeEventPlace(this.#components, atMs);
  }

  // The distributed table.

  handOver(order: HandOverOrder): HandOverProgress {
    return keepHandingOver(this.#components, order);
  }

  takeBack(order: TakeBackOrder): TakeBackProgress {
    return keepTakingBack(this.#components, order);
  }
}
