/** Intervals of equal length, from `originMs` on. */
export interface IntervalGrid {
  originMs: number;
  intervalMs: number;
  intervals: number;
}

/** One entry for each interval. */
export interface Watched {
  totalViews: number;
  /** Number of views that watched the interval. */
  views: number[];
  /** Plays of the interval, replays included. */
  plays: number[];
}

type Range = readonly [fromMs: number, toMs: number];

/** Counts views and plays per interval. An interval is watched when its middle is. */
export class IntervalCounts {
  readonly #grid: IntervalGrid;
  /** Change of the count at each interval. */
  readonly #views: Int32Array;
  readonly #plays: Int32Array;
  #totalViews = 0;

  constructor(grid: IntervalGrid) {
    this.#grid = grid;
    this.#views = new Int32Array(grid.intervals + 1);
    this.#plays = new Int32Array(grid.intervals + 1);
  }

  /** @param ranges of one view, in any order */
  add(ranges: readonly Range[]): void {
    this.#totalViews += 1;
    const covered = ranges.map((range) => this.#indexes(range)).filter(([from, to]) => to > from);
    for (const [from, to] of covered) mark(this.#plays, from, to);
    let end = 0;
    for (const [from, to] of covered.toSorted(([one], [other]) => one - other)) {
      if (to > end) mark(this.#views, Math.max(from, end), to);
      end = Math.max(end, to);
    }
  }

  read(): Watched {
    return { totalViews: this.#totalViews, views: running(this.#views), plays: running(this.#plays) };
  }

  /** The intervals whose middle is in the range: the first, and the one after the last. */
  #indexes([fromMs, toMs]: Range): [number, number] {
    const { originMs, intervalMs, intervals } = this.#grid;
    const first = (ms: number) => Math.ceil((ms - originMs) / intervalMs - 0.5);
    return [Math.max(0, first(fromMs)), Math.min(intervals, first(toMs))];
  }
}

function mark(changes: Int32Array, from: number, to: number): void {
  changes[from]! += 1;
  changes[to]! -= 1;
}

function running(changes: Int32Array): number[] {
  let count = 0;
  return [...changes.subarray(0, -1)].map((change) => (count += change));
}

/** Adds the counts of several stores on the same grid. */
export function addWatched(all: readonly Watched[], intervals: number): Watched {
  const sum = (read: (one: Watched) => number[]) =>
    Array.from({ length: intervals }, (_, index) => all.reduce((total, one) => total + (read(one)[index] ?? 0), 0));
  return {
    totalViews: all.reduce((total, one) => total + one.totalViews, 0),
    views: sum(({ views }) => views),
    plays: sum(({ plays }) => plays),
  };
}
