/**
 * Exact quantiles over several stores, without transferring all values. The result lies between the smallest and the largest quantile of the
 * single stores, so only the values between them are requested.
 */
import { type Neighbours, quantileBetween } from "../store/neighbours.ts";
import { selectValue } from "../store/select-value.ts";
import type { Range, RangePart } from "../store/store-calls.ts";
import type { Measure } from "../store/columns.ts";

export interface WantedQuantile {
  column: Measure;
  share: number;
  /** Number of all values. */
  count: number;
  /** From each store that has a value. */
  neighbours: Neighbours[];
}

/** @returns each store's part of each range */
export type AskRanges = (ranges: Range[]) => Promise<RangePart[][]>;

/** A wanted rank among all values, and the ranges that may contain it. */
interface Place {
  column: Measure;
  index: number;
  ranges: Range[];
  value: number | null;
}

/** @returns the values in the order of the wanted ones; null = no store has a value */
export async function quantilesOfMonths(wanted: readonly WantedQuantile[], ask: AskRanges): Promise<(number | null)[]> {
  const places = wanted.map(placesOf);
  await findAll(places.flat(), ask);
  return wanted.map(({ share, count }, index) => {
    const [below, above = below] = places[index]!.map(({ value }) => value!);
    return below === undefined ? null : quantileBetween([below, above!], share, count);
  });
}

function placesOf({ column, share, count, neighbours }: WantedQuantile): Place[] {
  if (count === 0) return [];
  const from = Math.min(...neighbours.map(([below]) => below));
  const to = Math.max(...neighbours.map(([, above]) => above));
  const position = share * (count - 1);
  const indexes = new Set([Math.floor(position), Math.ceil(position)]);
  return [...indexes].map((index) => ({
    column,
    index,
    ranges: [{ column, from, to }],
    value: from === to ? from : null,
  }));
}

/** Halves a range and asks again, as long as it has too many values for an answer. */
async function findAll(places: readonly Place[], ask: AskRanges): Promise<void> {
  for (;;) {
    const open = places.filter(({ value }) => value === null);
    if (open.length === 0) return;
    const ranges = new Map(open.flatMap((place) => place.ranges).map((range) => [keyOf(range), range]));
    const answers = await ask([...ranges.values()]);
    const parts = new Map([...ranges.keys()].map((key, index) => [key, answers.map((parts) => parts[index]!)]));
    for (const place of open) search(place, (range) => parts.get(keyOf(range))!);
  }
}

const keyOf = ({ column, from, to }: Range): string => `${column} ${from} ${to}`;

/** Finds the value of a rank, or the ranges that contain it. Ranges of a rank are consecutive. */
function search(place: Place, partsOf: (range: Range) => RangePart[]): void {
  for (const range of place.ranges) {
    const parts = partsOf(range);
    const sum = (name: "below" | "atFrom" | "between" | "atTo") => parts.reduce((total, part) => total + part[name], 0);
    let rest = place.index - sum("below");
    if (rest < 0) return void (place.value = range.from); // the views have changed since they were counted
    if (rest < sum("atFrom")) return void (place.value = range.from);
    rest -= sum("atFrom");
    if (rest < sum("between")) {
      if (parts.every(({ values }) => values !== null))
        return void (place.value = selectValue(Float64Array.from(parts.flatMap(({ values }) => values!)), rest));
      const cut = parts.filter(({ values }) => values === null);
      const middle = cut.reduce((most, one) => (one.between > most.between ? one : most)).middle!;
      place.ranges = [
        { ...range, to: middle },
        { ...range, from: middle },
      ];
      return;
    }
    if (rest - sum("between") < sum("atTo")) return void (place.value = range.to);
  }
  place.value = place.ranges.at(-1)!.to;
}
