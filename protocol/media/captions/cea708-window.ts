import type { Alignment, Box } from "./place.ts";
import { colourOf, extentOf, PLAIN, type Row, textOf } from "./rows.ts";

const [MAX_ROWS, MAX_COLUMNS] = [15, 42];
/** Rows of text in the height of the safe area, and columns in the width of a wide one. */
const [SCREEN_ROWS, SCREEN_COLUMNS] = [15, 42];
/** Units of the anchor in the safe area: 75 in its height, and 210 in the width of a wide one. Or percent. */
const [VERTICAL_CELLS, HORIZONTAL_CELLS, PERCENT] = [75, 210, 100];
/** Share of the picture on each side of the safe area. */
const MARGIN = 0.1;
/** `justify`: left, right, center and full. */
const ALIGNMENTS: readonly Alignment[] = ["start", "end", "center", "start"];
/** Predefined styles (CTA-708-E §8.12) whose text is centred: pop-up and roll-up. Those of the other ones begin at the left. */
const CENTRED_STYLES = new Set([3, 6]);

/** One window of CEA-708 (CTA-708-E §8.4), with its pen. */
export class CaptionWindow {
  isVisible = false;
  /** Where it begins in the height and width of the safe area, 0 to 1. */
  top = 0;
  #left = 0;
  #columnCount = 1;
  #alignment: Alignment = "start";
  #rows: Row[] = [[]];
  #rowCount = 1;
  #row = 0;
  #column = 0;
  #pen = PLAIN;
  #text: string | null = null;

  get text(): string {
    return (this.#text ??= textOf(this.#rows));
  }

  get alignment(): Alignment {
    return this.#alignment;
  }

  /** Where its text stands in the picture. */
  get box(): Box {
    const rows = this.#rows.flatMap((row, number) => {
      const extent = extentOf(row);
      return extent === null ? [] : [{ number, ...extent }];
    });
    const [first, last] = [rows[0]?.number ?? 0, rows.at(-1)?.number ?? 0];
    // Text that is centred, or at the right, is so within the window.
    const isAtColumns = this.#alignment === "start" && rows.length > 0;
    const begin = isAtColumns ? Math.min(...rows.map((row) => row.first)) : 0;
    const end = isAtColumns ? Math.max(...rows.map((row) => row.last)) + 1 : this.#columnCount;
    return {
      top: inPicture(this.top + first / SCREEN_ROWS),
      bottom: inPicture(this.top + (last + 1) / SCREEN_ROWS),
      left: inPicture(this.#left + begin / SCREEN_COLUMNS),
      right: inPicture(this.#left + end / SCREEN_COLUMNS),
    };
  }

  /** @param given the six bytes of DefineWindow. A window that exists keeps its text. */
  define(given: Uint8Array): void {
    const [flags = 0, vertical = 0, horizontal = 0, anchorAndRows = 0, columns = 0, styles = 0] = given;
    this.isVisible = (flags & 0x20) !== 0;
    this.#rowCount = Math.min(MAX_ROWS, (anchorAndRows & 0x0f) + 1);
    this.#columnCount = Math.min(MAX_COLUMNS, (columns & 0x3f) + 1);
    if (this.#rows.length > this.#rowCount) this.#rows = this.#rows.slice(-this.#rowCount);
    this.#row = Math.min(this.#row, this.#rowCount - 1);
    this.#text = null;
    const isPercent = (vertical & 0x80) !== 0;
    const anchor = Math.min(8, anchorAndRows >> 4); // of nine: from the top left to the bottom right
    const x = Math.min(1, horizontal / (isPercent ? PERCENT : HORIZONTAL_CELLS));
    const y = Math.min(1, (vertical & 0x7f) / (isPercent ? PERCENT : VERTICAL_CELLS));
    this.top = y - (Math.floor(anchor / 3) / 2) * (this.#rowCount / SCREEN_ROWS);
    this.#left = Math.max(0, x - ((anchor % 3) / 2) * (this.#columnCount / SCREEN_COLUMNS));
    const style = (styles >> 3) & 0x07; // 0: as it is
    if (style !== 0) this.#alignment = CENTRED_STYLES.has(style) ? "center" : "start";
  }

  /** @param given the four bytes of SetWindowAttributes */
  setAttributes(given: Uint8Array): void {
    this.#alignment = ALIGNMENTS[given[2]! & 0x03]!;
  }

  /** @param given the two bytes of SetPenAttributes */
  setPen(given: Uint8Array): void {
    const flags = given[1]!;
    this.#pen = { ...this.#pen, isItalic: (flags & 0x80) !== 0, isUnderlined: (flags & 0x40) !== 0 };
  }

  /** @param given the three bytes of SetPenColor: two bits for each of red, green and blue, of which WebVTT has the higher one */
  setColour(given: Uint8Array): void {
    const colour = given[0]!;
    this.#pen = { ...this.#pen, colour: colourOf((colour & 0x20) !== 0, (colour & 0x08) !== 0, (colour & 0x02) !== 0) };
  }

  moveTo(row: number, column: number): void {
    this.#row = Math.min(row, this.#rowCount - 1);
    this.#column = Math.min(column, MAX_COLUMNS - 1);
  }

  put(char: string): void {
    if (this.#column >= MAX_COLUMNS) return;
    this.#rowAtPen()[this.#column] = { char, pen: this.#pen };
    this.#column += 1;
  }

  backspace(): void {
    this.#column = Math.max(0, this.#column - 1);
    this.#rowAtPen()[this.#column] = null;
  }

  clear(): void {
    [this.#rows, this.#row, this.#column, this.#text] = [[[]], 0, 0, null];
  }

  clearRow(): void {
    this.#rowAtPen().length = 0;
    this.#column = 0;
  }

  /** To the next row. In the last one, the rows move up. */
  carriageReturn(): void {
    this.#column = 0;
    if (this.#row + 1 < this.#rowCount) {
      this.#row += 1;
      return;
    }
    this.#rowAtPen();
    this.#rows = [...this.#rows.slice(1 - this.#rowCount || this.#rows.length), []];
    this.#text = null;
  }

  #rowAtPen(): Row {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    this.#text = null;
    return this.#rows[this.#row]!;
  }
}

const inPicture = (inSafeArea: number): number => MARGIN + (1 - 2 * MARGIN) * inSafeArea;
