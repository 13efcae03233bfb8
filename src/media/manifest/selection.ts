import { misspeltParameters } from "../../platform/http/hints/misspelt-parameters.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { Presentation } from "./model.ts";
import { withQuery } from "./query.ts";

type Sized = { widthPx: number | null; heightPx: number | null };

/** The rungs selected by the manifest's query. Sizes as in "720p", see `edgeOf`. */
export interface Selection {
  minPx: number | null;
  maxPx: number | null;
  exactPx: number | null;
  order: "asc" | "desc" | null;
}

/** The default selection. */
const ALL_RUNGS: Selection = { minPx: null, maxPx: null, exactPx: null, order: null };

const RESOLUTIONS = new Set(["240p", "270p", "360p", "480p", "540p", "720p", "1080p", "1440p", "2160p"]);

const PARAMETERS = [
  "minResolution",
  "maxResolution",
  "resolution",
  "renditionOrder",
  "min_resolution",
  "max_resolution",
  "rendition_order",
  // Parameters of live manifests, which read them themselves.
  "dvrMode",
  "recordingAtEnd",
];

/**
 * Parses `minResolution`, `maxResolution`, `resolution` and `renditionOrder`, also in snake case, which one client sends. Ignores other
 * parameters, unless they are these, misspelt.
 *
 * @throws {Problem} validation_failed with every invalid field
 */
export function readSelection(query: URLSearchParams): Selection {
  if (query.size === 0) return ALL_RUNGS;
  const fields = misspeltParameters(query, PARAMETERS);
  const size = (field: string, ...names: string[]) => {
    const value = names.map((name) => query.get(name)).find((found) => found !== null);
    if (value === undefined || value === null) return null;
    if (RESOLUTIONS.has(value)) return Number.parseInt(value, 10);
    fields.push({ field, message: "is invalid", hint: `must be one of ${[...RESOLUTIONS].join(", ")}` });
    return null;
  };
  const minPx = size("minResolution", "minResolution", "min_resolution");
  const maxPx = size("maxResolution", "maxResolution", "max_resolution");
  const exactPx = size("resolution", "resolution");
  if (minPx !== null && maxPx !== null && minPx > maxPx)
    fields.push({ field: "minResolution", message: "must not be above maxResolution" });
  const wanted = query.get("renditionOrder") ?? query.get("rendition_order");
  const order = wanted === "asc" || wanted === "desc" ? wanted : null;
  if (order === null && wanted !== null)
    fields.push({ field: "renditionOrder", message: "is invalid", hint: "must be one of asc, desc" });
  for (const field of ["dvrMode", "recordingAtEnd"])
    if (!["true", "false", null].includes(query.get(field)))
      fields.push({ field, message: "is invalid", hint: "must be one of true, false" });
  if (fields.length > 0) throw new Problem("validation_failed", "the query is not valid", { fields });
  return { minPx, maxPx, exactPx, order };
}

/** The inverse of `readSelection`; null = omit the parameter. */
export const selectionQuery = ({ minPx, maxPx, exactPx, order }: Selection): Record<string, string | null> => ({
  minResolution: minPx === null ? null : `${minPx}p`,
  maxResolution: maxPx === null ? null : `${maxPx}p`,
  resolution: exactPx === null ? null : `${exactPx}p`,
  renditionOrder: order,
});

/** A canonical form for cache keys; "" for the default selection. */
export const canonicalSelection = (selection: Selection): string =>
  selection === ALL_RUNGS ? "" : withQuery("", selectionQuery(selection));

/**
 * Keeps the selected rungs in the selected order. When none matches, it keeps the nearest one rather than none. Without an order, the
 * largest rung of at most 720 lines comes first, because players start with the first; the others follow from the largest.
 */
export function select(presentation: Presentation, selection: Selection): Presentation {
  const kept = new Set(keep(presentation.videoSets.flat(), selection));
  const videoSets = presentation.videoSets.map((set) =>
    arrange(
      set.filter((row) => kept.has(row)),
      selection.order,
    ),
  );
  return { ...presentation, videoSets: videoSets.filter((set) => set.length > 0) };
}

/** `select` for one set of rungs. */
export const selectRungs = <Row extends Sized>(rungs: Row[], selection: Selection): Row[] =>
  arrange(keep(rungs, selection), selection.order);

function keep<Row extends Sized>(all: Row[], { minPx, maxPx, exactPx }: Selection): Row[] {
  const fits = all.filter((row) => edgeOf(row) >= (minPx ?? 0) && edgeOf(row) <= (maxPx ?? Infinity));
  const pool =
    fits.length > 0
      ? fits
      : nearest(all, minPx !== null && all.every((row) => edgeOf(row) < minPx) ? minPx : (maxPx ?? 0));
  return exactPx === null ? pool : nearest(pool, exactPx);
}

function nearest<Row extends Sized>(all: Row[], wantedPx: number): Row[] {
  const distance = (row: Row) => Math.abs(edgeOf(row) - wantedPx);
  const least = Math.min(...all.map(distance));
  return all.filter((row) => distance(row) === least);
}

function arrange<Row extends Sized>(set: Row[], order: Selection["order"]): Row[] {
  const rising = set.toSorted((a, b) => edgeOf(a) - edgeOf(b));
  if (order === "asc") return rising;
  const falling = rising.toReversed();
  if (order === "desc") return falling;
  const first = falling.find((row) => edgeOf(row) <= 720);
  return first === undefined ? falling : [first, ...falling.filter((row) => row !== first)];
}

/**
 * The height of the 16:9 frame, landscape or portrait, into which this one fits: 720 × 1280 and 1280 × 534 are both "720p".
 */
function edgeOf({ widthPx, heightPx }: Sized): number {
  const width = widthPx ?? 0;
  const height = heightPx ?? 0;
  return Math.max(Math.min(width, height), Math.floor((Math.max(width, height) * 9) / 16));
}
