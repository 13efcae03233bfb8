import { type Row, textOf } from "./rows.ts";

const [MAX_ROWS, MAX_COLUMNS] = [15, 42];
/** Rows of text in the height of the picture. */
const SCREEN_ROWS = 15;
/** The end of the upper third, as of CEA-608: rows 1 to 4 of 15. */
const TOP = 4 / SCREEN_ROWS;
/** Units of the vertical anchor: 75 in the safe area, or percent. */
const [CELLS, PERCENT] = [75, 100];

/** One window of CEA-708 (CTA-708-E §8.4), with its pen. */
export class CaptionWindow {
  isVisible = false;
  /** Where it begins in the height of the picture, 0 to 1. */
  top = 0;
  #rows: Row[] = [[]];
  #rowCount = 1;
  #row = 0;
  #column = 0;
  #isItalic = false;
  #text: string | null = null;

  get isAtTop(): boolean {
    return this.top < TOP;
  }

  get text(): string {
    return (this.#text ??= textOf(this.#rows));
  }

  /** @param given the six bytes of DefineWindow. A window that exists keeps its text. */
  define(given: Uint8Array): void {
    const [flags = 0, vertical = 0, , anchorAndRows = 0] = given;
    this.isVisible = (flags & 0x20) !== 0;
    this.#rowCount = Math.min(MAX_ROWS, (anchorAndRows & 0x0f) + 1);
    if (this.#rows.length > this.#rowCount) this.#rows = this.#rows.slice(-this.#rowCount);
    this.#row = Math.min(this.#row, this.#rowCount - 1);
    this.#text = null;
    const anchor = (vertical & 0x7f) / ((vertical & 0x80) !== 0 ? PERCENT : CELLS);
    const anchored = Math.min(2, Math.floor((anchorAndRows >> 4) / 3)) / 2; // at its top, middle or bottom
    this.top = anchor - (anchored * this.#rowCount) / SCREEN_ROWS;
  }

  setItalic(isItalic: boolean): void {
    this.#isItalic = isItalic;
  }

  moveTo(row: number, column: number): void {
    this.#row = Math.min(row, this.#rowCount - 1);
    this.#column = Math.min(column, MAX_COLUMNS - 1);
  }

  put(char: string): void {
    if (this.#column >= MAX_COLUMNS) return;
    this.#rowAtPen()[this.#column] = { char, isItalic: this.#isItalic };
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
