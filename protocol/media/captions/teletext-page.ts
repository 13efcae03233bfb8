import { accentedCharacter, nationalSet, primaryCharacter, supplementaryCharacter } from "./teletext-characters.ts";
import { type Grid, settingsIn } from "./place.ts";
import { type Colour, colourOf, PLAIN, type Row, textOf } from "./rows.ts";
import type { Shown } from "./shown-text.ts";

const [ROWS, COLUMNS] = [24, 40];
/** The rows from 0 on. Receivers leave a margin around a page. */
const GRID: Grid = { rows: ROWS + 1, columns: COLUMNS, margin: 0.05 };
/** Spacing attributes (ETSI EN 300 706 §12.2). */
const [END_BOX, START_BOX, CONCEAL] = [0x0a, 0x0b, 0x18];

export interface PageHeader {
  atMs: number;
  isErased: boolean;
  /** Only text in boxes is shown: a subtitle or newsflash. */
  isBoxed: boolean;
  region: number;
  nationalOption: number;
}

/** A triplet of packet X/26. */
export interface Enhancement {
  address: number;
  mode: number;
  data: number;
  isDamaged: boolean;
}

/** One page of teletext, as it is received. */
export class TeletextPage {
  /** When its last header was received. */
  atMs = 0;
  readonly #rows = new Map<number, Uint8Array>();
  /** Characters of level 1.5, by row and column. */
  readonly #enhanced = new Map<number, string>();
  #isBoxed = false;
  #region = 0;
  #nationalOption = 0;
  /** Where the next enhancement is. */
  #enhancedRow = 0;

  begin({ atMs, isErased, isBoxed, region, nationalOption }: PageHeader): void {
    this.atMs = atMs;
    if (isErased) this.#rows.clear();
    this.#enhanced.clear(); // they are sent again, before the rows
    [this.#isBoxed, this.#region, this.#nationalOption, this.#enhancedRow] = [isBoxed, region, nationalOption, 0];
  }

  setRegion(region: number): void {
    this.#region = region;
  }

  /** @param number 1 to 24 @param codes 40 of 7 bits */
  setRow(number: number, codes: Uint8Array): void {
    this.#rows.set(number, codes);
  }

  enhance(enhancements: Enhancement[]): void {
    for (const { address, mode, data, isDamaged } of enhancements) {
      if (isDamaged) continue;
      if (address >= COLUMNS) {
        if (mode === 0x1f) return; // termination marker
        if (mode === 0x01 || mode === 0x04) this.#enhancedRow = address === COLUMNS ? ROWS : address - COLUMNS;
      } else if (data >= 0x20 && this.#enhancedRow > 0) {
        const at = this.#enhancedRow * COLUMNS + address;
        if (mode === 0x0f) this.#enhanced.set(at, supplementaryCharacter(data));
        else if (mode === 0x10 && data === 0x2a) this.#enhanced.set(at, "@");
        else if (mode >= 0x10) this.#enhanced.set(at, accentedCharacter(data, mode & 0x0f));
      }
    }
  }

  /** What the page shows now; nothing when its letters are not Latin. */
  shown(): Shown {
    const national = nationalSet(this.#region, this.#nationalOption);
    if (national === null) return { text: "", settings: "" };
    const rows = Array.from({ length: ROWS + 1 }, (_, number) => this.#rowOf(number, national));
    return { text: textOf(rows), settings: settingsIn(GRID, rows, false) };
  }

  #rowOf(number: number, national: string): Row {
    let [isInBox, isMosaic, isConcealed] = [false, false, false];
    let colour: Colour = "white";
    return Array.from(this.#rows.get(number) ?? [], (code, column) => {
      if (code < 0x20) {
        if (code === START_BOX || code === END_BOX) isInBox = code === START_BOX;
        if ((code & 0x0f) < 0x08) [isMosaic, isConcealed, colour] = [code >= 0x10, false, colourOfCode(code)];
        if (code === CONCEAL) isConcealed = true;
        return null;
      }
      // Letters are letters among mosaics, too.
      if ((this.#isBoxed && !isInBox) || isConcealed || (isMosaic && (code & 0x20) !== 0)) return null;
      const char = this.#enhanced.get(number * COLUMNS + column) ?? primaryCharacter(code, national);
      return { char, pen: colour === "white" ? PLAIN : { ...PLAIN, colour } };
    });
  }
}

/** Alpha and mosaic colours: red, green and blue from the lowest bit on. */
const colourOfCode = (code: number): Colour => colourOf((code & 1) !== 0, (code & 2) !== 0, (code & 4) !== 0);
