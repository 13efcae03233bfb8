import { escapeText } from "./cue.ts";

/** The colours of teletext and CEA-608, which WebVTT has classes for (W3C WebVTT §5.1). Text is white without a class. */
export type Colour = "black" | "red" | "lime" | "yellow" | "blue" | "magenta" | "cyan" | "white";

/** How characters are written. */
export interface Pen {
  colour: Colour;
  isItalic: boolean;
  isUnderlined: boolean;
}
export const PLAIN: Pen = { colour: "white", isItalic: false, isUnderlined: false };

/** The colour of three components. */
export const colourOf = (red: boolean, green: boolean, blue: boolean): Colour =>
  (["black", "blue", "lime", "cyan", "red", "magenta", "yellow", "white"] as const)[
    Number(red) * 4 + Number(green) * 2 + Number(blue)
  ]!;

export interface Cell {
  char: string;
  pen: Pen;
}
/** By column. What was not written is transparent. */
export type Row = (Cell | null | undefined)[];

const TRANSPARENT: Cell = { char: " ", pen: PLAIN };

/** The payload of a WebVTT cue: a line for each row with text, without the spaces around it. */
export const textOf = (rows: Row[]): string =>
  rows
    .map(rowText)
    .filter((row) => row !== "")
    .join("\n");

/** The first and the last column with text; null for an empty row. */
export function extentOf(row: Row): { first: number; last: number } | null {
  const isText = (cell: Cell | null | undefined) => cell !== null && cell !== undefined && cell.char !== " ";
  const first = row.findIndex(isText);
  return first < 0 ? null : { first, last: row.findLastIndex(isText) };
}

function rowText(row: Row): string {
  const extent = extentOf(row);
  if (extent === null) return "";
  // Joined at the end: a string that grows by a character keeps each of its steps in memory.
  const out: string[] = [];
  let pen = PLAIN;
  for (let column = extent.first; column <= extent.last; column += 1) {
    const cell = row[column] ?? TRANSPARENT;
    if (cell.char !== " " && !isSame(cell.pen, pen)) {
      out.push(closing(pen), opening(cell.pen));
      pen = cell.pen;
    }
    out.push(escapeText(cell.char));
  }
  out.push(closing(pen));
  return out.join("");
}

const isSame = (a: Pen, b: Pen) =>
  a.colour === b.colour && a.isItalic === b.isItalic && a.isUnderlined === b.isUnderlined;

const opening = ({ colour, isItalic, isUnderlined }: Pen): string =>
  `${colour === "white" ? "" : `<c.${colour}>`}${isItalic ? "<i>" : ""}${isUnderlined ? "<u>" : ""}`;
const closing = ({ colour, isItalic, isUnderlined }: Pen): string =>
  `${isUnderlined ? "</u>" : ""}${isItalic ? "</i>" : ""}${colour === "white" ? "" : "</c>"}`;
