/** Where captions stand in the picture, as settings of a WebVTT cue (W3C WebVTT §3.1). Pure. */
import { extentOf, type Row } from "./rows.ts";

/** In the width and height of the picture, 0 to 1. */
export interface Box {
  top: number;
  bottom: number;
  left: number;
  right: number;
}
export type Alignment = "start" | "center" | "end";

/** A text area of rows and columns, with a margin on each side, as a part of the picture. */
export interface Grid {
  rows: number;
  columns: number;
  margin: number;
}

/** Text that ends below stands where players put captions anyway, clear of their controls. */
const BOTTOM = 0.78;
/** Text whose middle is so near the picture's is where players put captions anyway. */
const NEAR_MIDDLE = 0.07;
/** The same within a grid, in columns: centred rows of odd and even length differ by one. */
const NEAR_COLUMNS = 2;

/** "" for text at the bottom in the middle, which is the default of players. */
export function settingsOf({ top, bottom, left, right }: Box, alignment: Alignment): string {
  const line = bottom > BOTTOM ? [] : [`line:${percent(top)}`];
  const at = { start: left, center: (left + right) / 2, end: right }[alignment];
  const isDefault = alignment === "center" && Math.abs(at - 0.5) < NEAR_MIDDLE;
  const align = alignment === "center" ? [] : [`align:${alignment}`];
  return [...line, ...(isDefault ? [] : [`position:${percent(at)}`, ...align])].join(" ");
}

const percent = (part: number): string => `${Math.round(100 * Math.min(1, Math.max(0, part)))}%`;

/**
 * @param rows from the first of the grid on
 * @param isTyped the text appears character by character: its begin is its place, because its end is not known
 */
export function settingsIn(grid: Grid, rows: Row[], isTyped: boolean): string {
  const extents = rows.flatMap((row, number) => {
    const extent = extentOf(row);
    return extent === null ? [] : [{ number, ...extent }];
  });
  if (extents.length === 0) return "";
  const scale = (at: number, count: number) => grid.margin + (1 - 2 * grid.margin) * (at / count);
  const box = {
    top: scale(extents[0]!.number, grid.rows),
    bottom: scale(extents.at(-1)!.number + 1, grid.rows),
    left: scale(Math.min(...extents.map(({ first }) => first)), grid.columns),
    right: scale(Math.max(...extents.map(({ last }) => last + 1)), grid.columns),
  };
  return settingsOf(box, !isTyped && isCentred(extents, grid.columns) ? "center" : "start");
}

/** Rows are centred when they have one middle: that of the grid, or one of their own that their begins do not have in common. */
function isCentred(extents: { first: number; last: number }[], columns: number): boolean {
  const middles = extents.map(({ first, last }) => (first + last + 1) / 2);
  const isNear = (to: number) => middles.every((middle) => Math.abs(middle - to) <= NEAR_COLUMNS / 2);
  const hasOneBegin = extents.every(({ first }) => first === extents[0]!.first);
  return isNear(columns / 2) || (!hasOneBegin && isNear(middles[0]!));
}
