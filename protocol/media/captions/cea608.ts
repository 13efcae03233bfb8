import { basicCharacter, extendedCharacter, specialCharacter } from "./cea608-characters.ts";
import type { Cue } from "./cue.ts";
import { type Grid, settingsIn } from "./place.ts";
import { type Colour, type Pen, PLAIN, type Row, textOf } from "./rows.ts";
import { type Shown, ShownText } from "./shown-text.ts";

/** Channels of field 1: CC1, CC2; of field 2: CC3, CC4. */
export type Cea608Channel = 1 | 2 | 3 | 4;

const ROWS = [11, 1, 3, 12, 14, 5, 7, 9];
const [LAST_ROW, COLUMNS] = [15, 32];
/** The safe area of the title (47 CFR §15.119). */
const GRID: Grid = { rows: LAST_ROW, columns: COLUMNS, margin: 0.1 };
/** By the attributes of midrow codes and preambles; the one after them is italics. */
const COLOURS: readonly Colour[] = ["white", "lime", "blue", "cyan", "red", "yellow", "magenta"];
const ITALICS = 7;

type Screen = Row[];
const blank = (): Screen => Array.from({ length: LAST_ROW + 1 }, () => []);

/**
 * Decodes the words of one channel of CEA-608 into cues: pop-on, roll-up and paint-on captions, colours of text, italics, underlines, special and
 * extended characters (CTA-608-E, 47 CFR §79.101). Backgrounds are left out. A cue begins when its text is on the screen, and ends when the text
 * changes; a row that is typed on the screen is one cue from its first character on. Text that is no caption (T1 to T4, XDS) is left out.
 */
export class Cea608 {
  readonly #channel: Cea608Channel;
  readonly #text: ShownText;
  #shown: Screen = blank();
  #hidden: Screen = blank();
  #mode: "pop-on" | "roll-up" | "paint-on" = "pop-on";
  #rollRows = 2;
  #row = LAST_ROW;
  #column = 0;
  #pen = PLAIN;
  #lastControl = -1;
  /** The last control word was of this channel. Characters before the first one are of no channel. */
  #isOurs = false;
  /** Characters of this channel are no captions, but text. */
  #isText = false;
  /** The text on the screen has grown with this word. */
  #hasGrown = false;
  #nowMs = 0;

  /** @param channel its words are those of field 1 (1, 2) or field 2 (3, 4), which also carry the other channel of the field */
  constructor(emit: (cue: Cue) => void, channel: Cea608Channel = 1) {
    this.#text = new ShownText(emit);
    this.#channel = channel;
  }

  /** The cue that is on the screen, whose end is not known; null when there is none. */
  get current(): Omit<Cue, "endMs"> | null {
    return this.#text.current;
  }

  /** One word of the field: two bytes with odd parity, which is not checked. @param atMs when it is received */
  push(first: number, second: number, atMs: number): void {
    const [a, b] = [first & 0x7f, second & 0x7f];
    if (a === 0 && b === 0) return;
    this.#nowMs = atMs;
    if (a >= 0x10 && a < 0x20) {
      // Control words are sent twice; the second one has no effect.
      const isRepeat = this.#lastControl === (a << 8) + b;
      this.#lastControl = isRepeat ? -1 : (a << 8) + b;
      this.#isOurs = ((a & 0x08) !== 0) === (this.#channel % 2 === 0);
      if (this.#isOurs && !isRepeat) this.#control(a & 0x17, b);
    } else {
      this.#lastControl = -1;
      if (a > 0 && a < 0x10) this.#isOurs = false; // extended data services, up to the next control word
      if (this.#isOurs) for (const code of [a, b]) if (code >= 0x20) this.#put(basicCharacter(code));
    }
    if (this.#hasGrown) this.#text.grow(this.#screen(), atMs);
    this.#hasGrown = false;
  }

  /** No more words follow. @param atMs the end of the last cue; by default some seconds after the last word */
  end(atMs: number = this.#nowMs + 4000): void {
    this.#nowMs = atMs;
    this.#erase();
  }

  /** @param a without the bit of the channel */
  #control(a: number, b: number): void {
    if (b >= 0x40) return this.#preamble(a, b);
    if (a === 0x11 && b >= 0x30) return this.#put(specialCharacter(b));
    if ((a === 0x12 || a === 0x13) && b >= 0x20) {
      this.#column = Math.max(0, this.#column - 1); // replaces the plain character before it
      return this.#put(extendedCharacter(a - 0x12, b));
    }
    if (a === 0x11 && b >= 0x20) {
      this.#pen = penOf(b, this.#pen.colour);
      return this.#put(" ");
    }
    if (a === 0x17 && b >= 0x21 && b <= 0x23) this.#column = Math.min(COLUMNS - 1, this.#column + b - 0x20);
    if (a === 0x14 || a === 0x15) this.#command(b); // 0x15 in field 2
  }

  #command(b: number): void {
    switch (b) {
      case 0x20: // resume caption loading
        return this.#enter("pop-on");
      case 0x21: // backspace
        if (this.#isText) return;
        this.#column = Math.max(0, this.#column - 1);
        return this.#edit((row) => void (row[this.#column] = null));
      case 0x24: // delete to the end of the row
        return this.#edit((row) => void (row.length = Math.min(row.length, this.#column)));
      case 0x25:
      case 0x26:
      case 0x27: // roll-up captions, 2 to 4 rows
        return this.#rollUp(b - 0x23);
      case 0x29: // resume direct captioning
        return this.#enter("paint-on");
      case 0x2a:
      case 0x2b: // text
        this.#isText = true;
        return;
      case 0x2c: // erase displayed memory
        return this.#erase();
      case 0x2d: // carriage return
        if (this.#mode === "roll-up" && !this.#isText) this.#roll();
        return;
      case 0x2e: // erase non-displayed memory
        this.#hidden = blank();
        return;
      case 0x2f: // end of caption
        this.#enter("pop-on");
        [this.#shown, this.#hidden] = [this.#hidden, this.#shown];
        this.#text.replace(this.#screen(), this.#nowMs);
    }
  }

  #enter(mode: "pop-on" | "roll-up" | "paint-on"): void {
    this.#mode = mode;
    this.#isText = false;
  }

  #rollUp(rows: number): void {
    this.#rollRows = rows;
    if (this.#mode !== "roll-up") {
      this.#erase();
      this.#hidden = blank();
      this.#row = LAST_ROW;
    }
    this.#enter("roll-up");
    this.#column = 0;
  }

  /** A preamble address code: row, and indent, colour or italics. */
  #preamble(a: number, b: number): void {
    if (this.#isText) return;
    const row = a === 0x10 ? ROWS[0]! : ROWS[a & 0x07]! + (b >= 0x60 ? 1 : 0);
    if (this.#mode === "roll-up") this.#moveRows(Math.max(row, this.#rollRows));
    else this.#row = row;
    const attribute = b & 0x1e;
    const isIndent = attribute >= 0x10;
    this.#pen = isIndent ? { ...PLAIN, isUnderlined: (b & 1) === 1 } : penOf(b, "white");
    this.#column = isIndent ? (attribute - 0x10) * 2 : 0;
  }

  /** The rows of roll-up captions are together, and the last one is where a preamble says. */
  #moveRows(lastRow: number): void {
    if (lastRow === this.#row) return;
    const rows = this.#shown.slice(Math.max(1, this.#row - this.#rollRows + 1), this.#row + 1);
    this.#shown = blank();
    for (const [n, row] of rows.toReversed().entries()) this.#shown[lastRow - n] = row;
    this.#row = lastRow;
  }

  #put(char: string): void {
    if (this.#isText) return;
    this.#edit((row) => void (row[this.#column] = { char, pen: this.#pen }));
    this.#column = Math.min(COLUMNS - 1, this.#column + 1);
  }

  #edit(change: (row: Row) => void): void {
    if (this.#isText) return;
    change((this.#mode === "pop-on" ? this.#hidden : this.#shown)[this.#row]!);
    this.#hasGrown ||= this.#mode !== "pop-on";
  }

  #screen(): Shown {
    return { text: textOf(this.#shown), settings: settingsIn(GRID, this.#shown.slice(1), this.#mode !== "pop-on") };
  }

  #erase(): void {
    this.#shown = blank();
    this.#text.replace(this.#screen(), this.#nowMs);
  }

  #roll(): void {
    const first = this.#row - this.#rollRows + 1;
    for (let row = 1; row < this.#row; row += 1) this.#shown[row] = row >= first ? this.#shown[row + 1]! : [];
    this.#shown[this.#row] = [];
    [this.#column, this.#pen] = [0, PLAIN];
    this.#text.roll(this.#screen(), this.#nowMs);
  }
}

/** Attributes of a midrow code or of a preamble. Italics keep the colour before them. */
function penOf(code: number, before: Colour): Pen {
  const attribute = (code >> 1) & 0x07;
  const isItalic = attribute === ITALICS;
  return { colour: isItalic ? before : COLOURS[attribute]!, isItalic, isUnderlined: (code & 1) === 1 };
}
