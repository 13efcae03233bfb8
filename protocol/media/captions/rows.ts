import { escapeText } from "./cue.ts";

export interface Cell {
  char: string;
  isItalic: boolean;
}
/** By column. What was not written is transparent. */
export type Row = (Cell | null | undefined)[];

const TRANSPARENT: Cell = { char: " ", isItalic: false };

/** The payload of a WebVTT cue: a line for each row with text, without the spaces around it. */
export const textOf = (rows: Row[]): string =>
  rows
    .map(rowText)
    .filter((row) => row !== "")
    .join("\n");

function rowText(row: Row): string {
  const cells = Array.from({ length: row.length }, (_, column) => row[column] ?? TRANSPARENT);
  const first = cells.findIndex(({ char }) => char !== " ");
  const last = cells.findLastIndex(({ char }) => char !== " ");
  let out = "";
  let isItalic = false;
  for (const cell of first < 0 ? [] : cells.slice(first, last + 1)) {
    if (cell.isItalic !== isItalic && cell.char !== " ") {
      out += cell.isItalic ? "<i>" : "</i>";
      isItalic = cell.isItalic;
    }
    out += escapeText(cell.char);
  }
  return isItalic ? `${out}</i>` : out;
}
